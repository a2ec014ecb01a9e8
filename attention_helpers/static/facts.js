// What Python has to know as well. `facts.py` reads it here: what stands behind a name is strict JSON.

/** The most there may be: of a number that is moved, of words and their characters, of a matrix, of what an option lists. */
export const LIMITS = {
  "number": 1000000, "words": 32, "characters": 100, "columns": 300, "numbers": 10000, "count": 1000,
  "heads": 16, "edit": 2, "controls": 3, "losses": 5001
};

/**
 * The stages that are no table of every word with every word, as SQUARE is. What their rows and their columns are called:
 * "tokens", or as the columns of an input; letter: of an input's columns without names; asks: whether `query` leaves one row; needs: an
 * input without which there is no such stage.
 */
export const FORMS = {
  "embeddings": { "rows": "tokens", "columns": "embeddings", "letter": "x", "asks": false },
  "W_query": { "rows": "embeddings", "columns": "W_query", "letter": "q", "asks": false },
  "W_key": { "rows": "embeddings", "columns": "W_key", "letter": "k", "asks": false },
  "W_value": { "rows": "embeddings", "columns": "W_value", "letter": "v", "asks": false },
  "W_out": { "rows": "W_value", "columns": "W_out", "letter": "o", "asks": false },
  "queries": { "rows": "tokens", "columns": "W_query", "asks": true },
  "keys": { "rows": "tokens", "columns": "W_key", "asks": false },
  "values": { "rows": "tokens", "columns": "W_value", "asks": false },
  "context": { "rows": "tokens", "columns": "W_value", "asks": true },
  "output": { "rows": "tokens", "columns": "W_out", "asks": true, "needs": "W_out" }
};
export const SQUARE = { "rows": "tokens", "columns": "tokens", "asks": true };
export const formOf = (stage) => FORMS[stage] ?? SQUARE;

/**
 * Where a stage is shown, of those that are not everywhere where `stages` names none: with a weight matrix ("matrices"), where an option
 * changes its numbers or a control may ("divide_by", "mask"), only where it is named ("named").
 */
export const SHOWN_WHERE = {
  "queries": "matrices", "keys": "matrices", "values": "matrices", "scaled_scores": "divide_by", "masked_scores": "mask"
};

/** The inputs that learning may move. */
export const LEARNED = ["embeddings", "W_query", "W_key", "W_value"];

/** A link: its version, and the most characters of a state in an address and bytes of its JSON. */
export const LINK = { "version": ".1", "characters": 16000, "bytes": 100000 };

/** A loss so many times the first one is off the curve's scale; with more losses than dots there is only the line. */
export const CURVE = { "jump": 3, "dots": 60 };

/** The laboratory: what is drawn, how far one number of a query is nudged and what counts as no movement, what a question hides. */
export const DRAWN = {
  "keys": 6, "least_d_k": 2, "most_d_k": 512, "rows": 400, "most_rows": 1000, "seed": 15, "nudge": 0.1, "frozen": 0.0001,
  "hides": { "effective_words": ["1", "sqrt_d_k", "d_k"], "cure": ["sqrt_d_k", "d_k"] }
};
