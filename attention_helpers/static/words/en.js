// Every word that a reader of the explorer sees or hears, in English; another language is one more file like this.
// TEXT is strict JSON, because Python reads it too. What stands in its {places} is put there by `fill` in numbers.js.

export const TEXT = {
  "stages": {
    "embeddings": "embeddings", "W_query": "W_query", "W_key": "W_key", "W_value": "W_value", "W_out": "W_out", "queries": "queries",
    "keys": "keys", "values": "values", "scores": "scores", "scaled_scores": "scaled scores", "masked_scores": "masked scores",
    "weights": "attention weights", "context": "context", "output": "output"
  },
  "verbs": { "W_query": "asks", "W_key": "tells", "W_value": "hands over", "W_out": "mixes" },
  "head": "head {k}", "heads": "Heads: {names}.", "heads_off": "Switched off: {names}.", "of_head": "{stage}, {head}",
  "formulas": {
    "size": "{rows} × {columns}", "embeddings": "one word a row", "matrix": "{verb}",
    "projection": "embeddings · {W}", "unprojected": "the embeddings themselves", "scores": "queries · keysᵀ",
    "scores_of_embeddings": "embeddings · embeddingsᵀ", "scores_of_word": "{word} · every word", "scaled_scores": "÷ {divisor}",
    "weights": "{how} along {line}", "softmax": "softmax", "sum": "scores ÷ their sum", "dropout": "dropout", "then": ", ",
    "context": "attention weights · values", "context_of_heads": "head beside head", "output": "context · W_out", "context_of_embeddings": "attention weights · embeddings"
  },
  "masks": {
    "none": { "name": "none", "does": "nothing hidden here" }, "causal": { "name": "−∞ before softmax", "does": "−∞ for the future" },
    "zero_scores": { "name": "0 in the scores", "does": "0 for the future" },
    "zero_weights": { "name": "0 after softmax", "does": "then 0 for the future" },
    "zero_weights_renormalised": { "name": "0 after softmax, renormalised", "does": "0 for the future, ÷ row sum" }
  },
  "why": { "past": "{column} comes after {row}" },
  "divisors": { "1": "1", "sqrt_d_k": "√d_k", "sqrt_d_in": "√d_in", "sqrt_n_tokens": "√n" },
  "normalise": { "softmax": "softmax", "sum": "dividing by the sum" },
  "axis": { "rows": "each row", "columns": "each column" },
  "line": { "rows": "row", "columns": "column" },
  "lead": "Before you look: {question}", "twin": "explorer: {sentence}", "alt": "{sentence}: {stages}.",
  "alt_question": "{sentence}: {stages}. Question: {question}",
  "questions": {
    "largest_weight": "Which word gets the largest attention weight when {query} asks?",
    "most_to_themselves": "How many of the {n} words look most at themselves?",
    "double_W_query": "You double every number of W_query. What moves?", "double_W_key": "You double every number of W_key. What moves?",
    "double_W_value": "You double every number of W_value. What moves?",
    "last_word_changes": "The last word, {last}, changes. Which contexts move?",
    "zero_scores_hide": "True or false: writing 0 over the scores of later words hides them.",
    "steepest": "You wish {goal}. In which row of {matrix} does it help most to add 0.5 to the first number?"
  },
  "questions_of_head": {
    "largest_weight": "Which word gets the largest attention weight of the head “{head}” when {query} asks?",
    "most_to_themselves": "How many of the {n} words look most at themselves in the head “{head}”?",
    "zero_scores_hide": "True or false: writing 0 over the scores of later words hides them from the head “{head}”."
  },
  "answers": {
    "unsure": "I don't know", "true": "true", "false": "false", "more": "more than {most}", "nothing": "nothing",
    "last": "only {last}'s own", "some": "some, not just {last}'s own", "none": "none", "all": "all of them",
    "same": "all the same", "steepest": "{words}: {what} goes from {from} to {to}", "share": "the wished share", "loss": "the loss",
    "largest": "{words}, with {share}", "largest_each": "{words}, with {share} each", "counted": "{count} ({words})",
    "undefined": "no word: a share is undefined, since the sum it is divided by is 0"
  },
  "verdicts": {
    "skipped": "It is {result}.", "unsure": "You said: {said}. It is {result}.", "right": "You said {said}, and so it is: {result}. {why}",
    "wrong": "You said {said}. It is {result}. {why}"
  },
  "since": "Now it is {result}.", "since_asking": "Now {query} asks, and it is {result}.",
  "why_not": {
    "dropped": "Dropout hit the share of {said}.", "hidden": "{why}: the mask hides it.",
    "itself": "The score of {said} is {score}, the score of {top} is {best}: a word need not be its own best match.",
    "less": "The score of {said} is {score}, the score of {top} is {best}.",
    "largest": "The score of {said} is {score}, and no other in the row is larger.",
    "largest_left": "The score of {said} is {score}, and no other that is left is larger.",
    "turns_away": "{word} scores {own} with itself and {best} with {other}.",
    "themselves": "The asking word is looked at too, like any other; it wins where its own share is the largest of its row.",
    "double_W_query": "Keys and values do not pass through W_query; everything after the queries does.",
    "double_W_key": "Queries and values do not pass through W_key; everything after the keys does.",
    "double_W_value": "W_value comes in after the attention weights, so they cannot move.",
    "last": "Every word that may look at it mixes it in.", "all": "A word that may not look at it cannot notice it.",
    "some": "Rows ask, columns are looked at: follow the column of the last word.",
    "none": "{last} asks too, and its own row uses its own numbers.",
    "steepest": "With {said} {what} comes to {to}: a row counts as much as the numbers that it meets in the embeddings.",
    "not_the_same": "A row counts as much as the numbers that it meets in the embeddings.",
    "zeros": "exp(0) is 1, not 0: {first} would give {share} of its attention to later words, and its row would still sum to 1."
  },
  "say": {
    "nothing": "Click any computed number to see where it comes from.", "input": "{stage}, row {row}, column {column}: {result}",
    "projection": "{row} {verb} {column}: {sum} = {result}", "scores": "score: {row} asks, {column} is looked at: {sum} = {result}",
    "scaled_scores": "{row} → {column}: {score} ÷ {divisor} = {result}", "seen": "{row} → {column}: not hidden, stays {result}",
    "hidden": "{row} → {column}: {why}, so it is hidden: {score} becomes {result}",
    "overwritten": "{row} → {column}: {why}, so {score} is overwritten with {result}",
    "share": "share of {column} when {row} asks{hidden}{share}{mask}{dropout}", "share_hidden": ", hidden because {why}",
    "softmax": ": {sum} = {result}", "softmax_vast": ", the largest score subtracted from each: {sum} = {result}",
    "softmax_of_none": ": no score of the {line} is left, so all its shares are {result}", "sum": ": {score} ÷ {total} = {result}",
    "sum_zero": ": {total} = 0: the {line} sums to 0, so its shares are undefined",
    "zeroed": "; hidden after softmax: {share} × 0 = {result}", "replaced": "; overwritten after softmax: {share} becomes {result}",
    "renormalised": "; divided by what is left: {share} ÷ ({left}) = {result}", "dropped": "; dropped: {share} × 0 = {result}",
    "kept": "; kept: {share} ÷ (1 − {p}) = {result}", "context": "context of {row}, {column}: {sum} = {result}",
    "off": "context of {row}, {column}: the head “{head}” is switched off, so it is {result}",
    "output": "output of {row}, {column}: {sum} = {result}"
  },
  "row": {
    "undefined": "A share of {word} is undefined: the sum it is divided by is 0.",
    "negative": "{word} gives {words} a share below 0 ({share}).", "nothing": "{word} looks at no word: all its shares are 0.",
    "only": "{word} can look only at {words}.", "even": "{word} spreads evenly over {n} words.",
    "even_most": "{word} spreads over {spread} of {n} words, most at {most}, {share}.",
    "most": "{word} looks most at {most}.", "most_then": "{word} looks most at {most}, then at {next}.", "share": "{words} ({share})",
    "share_each": "{words} ({share} each)", "all": "all words", "itself": "itself"
  },
  "rows": {
    "undefined": "Some shares are undefined: the sum they are divided by is 0.", "negative": "Some shares are below 0.",
    "even": "Every word spreads almost evenly over all words.",
    "even_left": "Every word spreads almost evenly over the words left to it.", "many": "{count} of {n} words look most at themselves.",
    "many_even": "{count} of {n} words look most at themselves. {even} spread almost evenly.", "each": "Looks most at: {pairs}.",
    "pair": "{word} → {words}", "between": " · ", "barely": "{words}, barely", "no_word": "no word"
  },
  "caption": "row {row} asks, column {column} is looked at", "caption_of_head": "“{head}”: row {row} asks, column {column} is looked at", "summary_of_head": "“{head}”: {text}", "summary_off": "“{head}” is switched off.", "changed": "Changed from the start: {matrices}.", "light_off": ": no",
  "code_gone": "The explorer's code is not here any more. Run its cell again.",
  "kernel_gone": "No kernel: the explorer goes on; explorer.attention needs Run All.",
  "lights": {
    "rows-sum-to-1": "rows sum to 1", "inside-values": "inside the values", "no-future": "no future"
  },
  "inside_words": "inside the words", "inside_each": "each head inside its values",
  "plane": {
    "title": "plane", "formula": "squares: values · dots: contexts", "described": "Plane: {points}.",
    "formula_of_heads": "□ values · ● contexts · dashed: two heads",
    "point": "context of {word} at {place}", "between": "; "
  },
  "numbers": { "undefined": "undefined", "percent": "{x} %" },
  "learning": {
    "loss": "loss {loss}", "of_one": "= −log {share} ({row} → {column})", "mean": "mean of −log of {n} wanted shares",
    "wished": "wished for", "steps": "{n} steps", "described": "Loss {first} at the start, {last} at step {n}.",
    "now": "Loss {last}.", "goal": "Goal: {wishes}.", "weights": "{row} → {column}", "context": "context of {row} → {column}",
    "weights_of_head": "{row} → {column} in “{head}”",
    "no_goal": {
      "weights": "Click an attention weight: that word should look there.", "context": "Click a number of the context: it should be the largest."
    },
    "way": "Steps so far: {n}.", "running": "Step {n}.",
    "step": "Step {n}: {from} → {to}.", "rose": "Step {n}: the loss rose, {from} → {to}. Rate {rate} steps too far.",
    "ran_away": "Rate {rate} is too large: in step {n} a number would pass a million.",
    "arrived": "Done after step {n}: the loss is below {arrived}.", "level": "Stopped after step {n}: the last {patience} gained nothing.",
    "enough": "Stopped after step {n}.", "paused": "Paused after step {n}."
  },
  "slopes": {
    "said": "{stage}, {row}, {column}: {from} → {to}: loss {before} → {after}, slope {slope}: drag it {way}.",
    "level": "{stage}, {row}, {column}: slope {slope}: {why}", "left": "to the left ◂", "right": "to the right ▸",
    "heard": "{x}, slope {slope}"
  },
  "level": {
    "out": "no wish is about the output.", "other_head": "the wish is about another head.",
    "arrived": "the wish is all but fulfilled.", "unread": "the wish is about attention weights, which values do not touch.",
    "no_such": "{words} has no {row}, so this number is multiplied by 0.", "nobody": "no word has {row}: this number is multiplied by 0.",
    "other": "the {other} that it meets are all 0 in column {column}, and 0 times anything is 0.",
    "decided": "the shares are decided: no small change of a score moves them.",
    "balance": "what one share gains by a nudge another loses."
  },
  "hints": { "weights": "◎ click an attention weight", "context": "◎ click a number of the context" },
  "controls": {
    "rate": "rate",
    "query": "the word that asks", "divide_by": "divide scores by", "mask": "hide the future with", "normalise": "shares by",
    "axis": "normalise along", "dropout": "dropout", "row": "stretch", "stretch": "by", "tie": "W_key follows W_query",
    "multiply": "W_query ×", "example": "example", "preset": "try",
    "heads": "heads"
  },
  "options": { "all": "all words", "nothing": "{divisor} (nothing)", "no_preset": "as at the start", "mixed": "mixed" },
  "buttons": {
    "learn-step": ["one step", "move all numbers a step against their slopes"], "learn": ["learn", "a step a frame, until there is no more to gain"],
    "pause": ["pause", "stop here"], "no-goal": ["no wish", "take every wish back"],
    "back": ["◂ back", "hide the last stage"], "step": ["step ▸", "show the next stage (space bar)"], "large": ["Aa", "large type"],
    "reset": ["reset", "all numbers and choices as at the start"], "draw": ["draw again", "draw new random zeros"], "draw_rows": ["draw again", "draw other random numbers"],
    "menu": ["⋯", "link, Python, picture"], "copy-link": ["copy link", "an address that opens just this explorer"],
    "copy-python": ["copy as Python", "code that makes this explorer"], "save-svg": ["save picture, SVG", "the matrices as a drawing"],
    "save-png": ["save picture, PNG", "the matrices as pixels"],
    "commit": ["commit", "say so, then see"], "skip": ["skip", "show the answer (the key s)"]
  },
  "table": {
    "row": "row", "sum": "sum", "cell": "{row}, {column}", "matrix_cell": "{row}, {verb} {column}", "reset": "{stage} as at the start",
    "handle": "drag to stretch or flip {word}, double click to reset it", "stretch": "stretch {word} by",
    "head_off": "switch {head} off: its context becomes 0", "head_on": "switch {head} on again"
  },
  "refused": {
    "hidden_wish": "{row} cannot be made to look at {column}: {why}.", "no_softmax": "A wish needs softmax along each row.",
    "no_number": "“{said}” is not a number; type one like 0.5 or -2.",
    "too_large": "{said} is too large; numbers here stay within a million."
  },
  "links": {
    "copied": "Copied: {n} characters.", "by_hand": "Copy it from here:", "failed": "This browser cannot do that.", "saved": "Saved.", "file": "explorer",
    "not_opened": "This link could not be opened: {why} You see the page as it always begins.",
    "refused": {
      "too_long": "it is too long.", "no_link": "it holds characters that no such link has.", "cut_short": "its end is missing.",
      "version": "it was made with another version of these pages.", "damaged": "some of its characters are wrong.",
      "too_large": "it holds more than any explorer.", "no_state": "it holds no explorer.", "unknown": "it names something that is unknown here.",
      "unfit": "it holds something that an explorer cannot show.", "no_such": "this page has no such explorer.",
      "too_much": "These are too many numbers for a link."
    }
  },
  "maker": {
    "title": "Set it up", "load": "begin with", "as_it_is": "as it is", "words": "words", "word": "word {n}", "drop": "take {word} away",
    "add": "more words", "matrices": "matrices: how many columns, and their names (0: no such matrix)", "column": "{table}, column {n}", "no_wish": "no wish", "no_question": "none", "refused": "That does not fit the rest, so nothing has changed.",
    "start_here": "start from here", "start_why": "What reset goes back to is what you see now.",
    "embed": "code for a frame in Moodle, Canvas or a page",
    "labels": {
      "stages": "matrices to show", "edit": "numbers that move ({most} matrices at most)",
      "controls": "menus in the explorer ({most} at most)", "train": "what learning moves", "predict": "question before the answer",
      "step": "one matrix after the other", "large": "large type", "slopes": "which way the loss falls", "slider": "how far numbers move",
      "goal": "goal", "example": "name", "off": "heads that are switched off"
    }
  },
  "laboratory": {
    "twin": "laboratory: {rows} random queries, six keys each, d_k = {d_k}",
    "alt": "Average rows of attention weights of {rows} random queries with six keys each, d_k = {d_k}: {divisors}.",
    "alt_question": "{rows} random queries with six keys each, d_k = {d_k}. Question: {question}",
    "caption": "the average of {rows} rows of attention weights, in each the largest first", "d_k": "d_k", "type_d_k": "type d_k",
    "ranks": ["largest", "2nd", "3rd", "4th", "5th", "6th"],
    "ways": { "1": "÷ 1", "sqrt_d_k": "÷ √d_k", "d_k": "÷ d_k" },
    "effective": "words looked at", "frozen": "frozen rows",
    "drawn": "d_k is {d_k}.",
    "said_row": "{divisor}: {words} of 6 words, {frozen} frozen.",
    "explained": "Words looked at, on average over the rows: six equal shares count as 6, all on one word as 1. Frozen: nudge one number of the query by 0.1, and no share moves by as much as 0.0001.",
    "refused": "“{said}” does not do; type a whole number from {least} to {most}.",
    "kernel_gone": "No kernel: the laboratory goes on; what Python computes needs Run All.",
    "asked": {
      "effective_words": "d_k grows from 2 to 512, and nothing is divided. How many of the six words does a row look at then?",
      "cure": "What keeps a row at about as many words, however long queries and keys are?"
    },
    "choices": {
      "effective_words": { "more": "more", "as_many": "about as many", "fewer": "fewer" },
      "cure": { "1": "nothing: no division does", "sqrt_d_k": "dividing by √d_k", "d_k": "dividing by d_k" },
      "changed": "{answer}, from {from} to {to}", "levels": "{divisor}, from {from} to {to} words"
    },
    "corrected": {
      "more": "The rows of numbers grow longer, not the sentence.",
      "as_many": "Each number is as random as before, but a score adds up d_k products.",
      "fewer": "Read the number of words at both ends.",
      "1": "Undivided, it goes from {from} to {to} words.",
      "sqrt_d_k": "Divided by √d_k, it goes from {from} to {to} words.",
      "d_k": "Divided by d_k, it goes from {from} to {to} words: in the end every word gets the same share. Half of the products push up and half push down, so a score does not grow as fast as d_k."
    }
  }
};

/** Words in a list: a, b and c. */
export const listed = (words) => (words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`);
