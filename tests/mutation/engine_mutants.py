"""Hand-made mistakes in the explorer's JavaScript, and the test that notices each.

`before` stands exactly once in its file; `make mutants` names those that do not.
"""

from typing import NamedTuple


class Change(NamedTuple):
    """One mistake: where, what, why it is one, and its guard in tests/."""

    file: str
    before: str
    after: str
    why: str
    guard: str


ENGINE = "static/engine.js"
NUMBERS = "static/numbers.js"
OPTIONS = "static/options.js"
MASKS = "static/masks.js"
TOLD = "static/sentences.js"
WORDS = "static/words/en.js"
QUESTIONS = "static/questions.js"
STORE = "static/store.js"
CONTROLS = "static/controls.js"
HANDS = "static/hands.js"
LEARNING = "static/learning.js"
SLOPES = "static/slopes.js"
WALK = "static/walk.js"
DRAWN = "static/rows.js"
LABORATORY = "static/laboratory.js"

# The guards, by file.
IN_ENGINE = "browser/test_engine.py::"
IN_WORDS = "browser/test_words.py::"
IN_QUESTIONS = "browser/test_questions.py::"
IN_STORE = "browser/test_store.py::"
IN_PAGE = "browser/test_explorer_page.py::"
IN_SLOPES = "browser/test_slopes.py::"
IN_LEARNING = "browser/test_learning_page.py::"
IN_HEADS = "browser/test_heads.py::"
IN_LABORATORY = "browser/test_laboratory_page.py::"

STAGES = IN_ENGINE + "test_every_stage_is_numpys_whatever_the_options"
KEPT = IN_ENGINE + "test_a_state_is_left_as_it_is"
SOURCES = (
    IN_ENGINE + "test_the_cells_a_number_comes_from_are_its_sources_and_the_only_ones"
)
LABELS = IN_ENGINE + "test_both_sides_show_the_same_stages_under_the_same_labels"
SHOWN_AS = IN_ENGINE + "test_a_hidden_stage_is_lit_where_the_same_numbers_stand"
HIDDEN = IN_ENGINE + "test_both_sides_hide_the_same_cells"
LIGHTS = IN_ENGINE + "test_the_lights_are_numpys_for_every_combination"
NEARLY_1 = IN_ENGINE + "test_a_sum_that_is_nearly_1_is_not_1"
UNDEFINED = IN_ENGINE + "test_undefined_shares_turn_every_light_off"
TRAPS = IN_ENGINE + "test_the_light_for_no_future_knows_the_traps"
SPECKS = IN_ENGINE + "test_shares_of_1e_28_that_move_are_seen"
LEAK = IN_ENGINE + "test_a_leak_of_4e_11_into_the_context_is_seen"
ROUNDING = IN_ENGINE + "test_rounding_of_vast_values_is_no_look_into_the_future"
CANCELS = IN_ENGINE + "test_rounding_where_values_cancel_is_no_look_into_the_future"
POKES = IN_ENGINE + "test_a_look_into_the_future_is_seen_whatever_cancels_or_is_0"
SENTENCES = IN_WORDS + "test_the_arithmetic_of_every_sentence_comes_to_its_number"
LONG = IN_WORDS + "test_sentences_of_long_rows_and_of_any_numbers"
EXACTLY = IN_WORDS + "test_a_number_in_a_sentence_is_rounded_by_half_a_digit_at_most"
ROWS = IN_WORDS + "test_each_row_in_words_is_what_numpy_says"
SPREAD = IN_WORDS + "test_spread_and_largest_shares_are_numpys"
LAST = IN_QUESTIONS + "test_which_contexts_move_with_the_last_word"
ZEROED = IN_QUESTIONS + "test_zeroed_scores_do_not_hide"
DRAG = IN_PAGE + "test_a_drag_there_and_back_is_the_start_value"
REFUSED = IN_PAGE + "test_what_is_no_number_is_refused_in_words"
STRETCH = IN_PAGE + "test_a_row_stretches_flips_and_goes_back"
RESET = IN_PAGE + "test_one_matrix_and_all_go_back"
TIE = IN_PAGE + "test_multiply_and_tie_move_the_weight_matrices"
OUTSIDE = IN_STORE + "test_a_hand_comes_before_the_kernel"
STEPS = IN_STORE + "test_steps_are_exact_decimals"
RANGES = IN_STORE + "test_a_range_is_the_smallest_round_size_that_holds_the_numbers"
UNDO = IN_STORE + "test_undo_takes_back_whole_gestures"
GRADIENTS = IN_SLOPES + "test_loss_and_every_slope_are_numpys"
NUDGES = IN_SLOPES + "test_every_mask_and_dropout_have_the_slopes_that_a_nudge_shows"
TIED = IN_SLOPES + "test_tied_matrices_have_one_slope"
STEP = IN_SLOPES + "test_a_step_is_numpys"
ARROWS = IN_LEARNING + "test_who_follows_the_arrows_gets_there_in_ten_drags"
LONG_WAY = IN_LEARNING + "test_a_long_way_ends_after_500_steps_and_goes_on"
NO_GAIN = IN_LEARNING + "test_a_run_without_gain_ends"
EACH = IN_HEADS + "test_every_stage_of_every_head_is_numpys"
WHOSE = IN_HEADS + "test_a_number_says_of_which_head_it_is_and_lights_that_alone"
SLOPES_OF_EACH = IN_HEADS + "test_loss_and_every_slope_of_every_head_are_numpys"
SLOPES_OFF = IN_HEADS + "test_slopes_with_heads_off_and_any_mask_are_those_of_a_nudge"
ANY_HEAD = IN_HEADS + "test_a_head_that_looks_at_later_words_puts_the_light_out"
LAST_HEAD = IN_HEADS + "test_the_question_is_about_the_last_head"
INTERRUPTED = IN_LEARNING + "test_a_hand_that_comes_ends_the_run"

MUTANTS = [
    # ---- linear algebra ----
    Change(
        NUMBERS,
        "matrix[0].map((_, j) => column(matrix, j))",
        "matrix.map((_, j) => column(matrix, j))",
        "a transpose that is right for square tables only",
        STAGES,
    ),
    Change(
        NUMBERS,
        "productT(A, transpose(B))",
        "productT(A, B)",
        "a product without the transpose",
        STAGES,
    ),
    Change(
        NUMBERS,
        "total += a[k] * b[k]",
        "total += a[k] + b[k]",
        "a dot product that adds instead of multiplying",
        STAGES,
    ),
    Change(
        NUMBERS,
        "let k = 0; k < a.length",
        "let k = 1; k < a.length",
        "a dot product that misses the first dimension",
        STAGES,
    ),
    # ---- from scores to attention weights ----
    Change(
        NUMBERS,
        "Math.exp(x - largest)",
        "Math.exp(x)",
        "softmax without the shift",
        STAGES,
    ),
    Change(
        NUMBERS,
        "const largest = Math.max(...row)",
        "const largest = Math.min(...row)",
        "softmax shifted by the smallest score",
        STAGES,
    ),
    Change(
        NUMBERS,
        "return exponentials.map((x) => x / total)",
        "return exponentials",
        "softmax that does not divide",
        STAGES,
    ),
    Change(
        NUMBERS,
        "isZero(row) ? NaN : sum(row)",
        "sum(row)",
        "a share of a sum that cancels to a speck",
        STAGES,
    ),
    Change(
        ENGINE,
        'S.axis === "rows" ? masked_scores.map',
        'S.axis === "columns" ? masked_scores.map',
        "the axes swapped",
        STAGES,
    ),
    Change(
        ENGINE,
        "transpose(transpose(masked_scores).map(normalise))",
        "transpose(masked_scores).map(normalise)",
        "shares of columns that are not transposed back",
        STAGES,
    ),
    Change(
        MASKS,
        "return renormalise ? left",
        "return false ? left",
        "zeroed attention weights never renormalised",
        STAGES,
    ),
    Change(
        MASKS,
        "return renormalise ? left",
        "return !renormalise ? left",
        "the wrong one of the two zeroed masks renormalised",
        STAGES,
    ),
    # ---- stages: computation, sources, sentences ----
    Change(
        ENGINE,
        '[row("embeddings", i), col(W, j)]',
        '[row("embeddings", i), row(W, j)]',
        "a query comes from a row of W_query",
        SOURCES,
    ),
    Change(
        ENGINE,
        "? products(S.embeddings[i], column(S[W], j))",
        "? products(S.embeddings[0], column(S[W], j))",
        "the sentence of a query always takes the first word",
        SENTENCES,
    ),
    Change(
        ENGINE,
        "productT(S.queries, S.keys)",
        "productT(S.keys, S.queries)",
        "scores transposed",
        STAGES,
    ),
    Change(
        ENGINE,
        '[row("queries", i), row("keys", j)]',
        '[row("queries", i), row("values", j)]',
        "a score comes from a value",
        SOURCES,
    ),
    Change(
        ENGINE,
        "products(S.queries[i], S.keys[j])",
        "products(S.queries[j], S.keys[i])",
        "the sentence of a score swaps query and key",
        SENTENCES,
    ),
    Change(
        ENGINE,
        "line.map((x) => x / S.divisor)",
        "line.map((x) => x * S.divisor)",
        "scores multiplied by the divisor",
        STAGES,
    ),
    Change(
        ENGINE,
        "Math.sqrt(DIVISORS[S.divide_by](S))",
        "DIVISORS[S.divide_by](S)",
        "scores divided by d_k, not by its root",
        STAGES,
    ),
    Change(
        ENGINE,
        '[cell("scores", i, j)]',
        '[cell("scores", j, i)]',
        "a scaled score comes from the mirrored score",
        SOURCES,
    ),
    Change(
        ENGINE,
        "one(signed(S.scores[i][j]))",
        "one(signed(S.scores[j][i]))",
        "the sentence of a scaled score divides the mirrored score",
        SENTENCES,
    ),
    Change(
        ENGINE,
        "`√${DIVISORS",
        "`${DIVISORS",
        "the sentence of a scaled score divides by d_k",
        SENTENCES,
    ),
    Change(
        MASKS,
        "fill: -Infinity",
        "fill: -1e9",
        "a large number stands for minus infinity",
        STAGES,
    ),
    Change(
        ENGINE,
        '[cell("scaled_scores", i, j)]',
        '[cell("scores", i, j)]',
        "a masked score comes from the score, past the scaled one",
        SOURCES,
    ),
    Change(
        ENGINE,
        "x / (1 - S.dropout_p)",
        "x",
        "kept shares not scaled up by dropout",
        STAGES,
    ),
    Change(
        ENGINE,
        "x / (1 - S.dropout_p)",
        "x / S.dropout_p",
        "dropout scaled by p, not by 1 - p",
        STAGES,
    ),
    Change(
        ENGINE,
        'row("masked_scores", i) : col("masked_scores", j)',
        'row("masked_scores", i) : row("masked_scores", i)',
        "a share of a column comes from its row",
        SOURCES,
    ),
    Change(
        ENGINE,
        "product(S.weights, S.values)",
        "product(S.weights, S.embeddings)",
        "contexts mixed from embeddings",
        STAGES,
    ),
    Change(
        ENGINE,
        '[row("weights", i), col("values", j)]',
        '[row("weights", i), row("values", j)]',
        "a context comes from one value alone",
        SOURCES,
    ),
    Change(
        ENGINE,
        "products(S.weights[i], column(S.values, j))",
        "products(S.shares[i], column(S.values, j))",
        "the sentence of a context forgets mask and dropout",
        SENTENCES,
    ),
    Change(
        ENGINE,
        "const S = { ...state };",
        "const S = state;",
        "stages written into the state that was given",
        KEPT,
    ),
    Change(
        ENGINE,
        'S.divisor === 1 && "scores"',
        '"scores"',
        "scores lit for scaled scores that differ from them",
        SHOWN_AS,
    ),
    Change(
        ENGINE,
        'return columnsOf(S, "embeddings");',
        'return columnsOf(S, "W_value");',
        "columns of a matrix that is not there named like those of another",
        LABELS,
    ),
    Change(
        ENGINE,
        '|| stage === "weights";',
        '|| stage === "scores";',
        "with several heads their scores instead of their shares",
        LABELS,
    ),
    # ---- the lights ----
    Change(
        ENGINE,
        "Math.abs(sum(line) - 1) <= 1e-9",
        "Math.abs(sum(line) - 1) <= 1e-6",
        "a light for sums that is too lenient",
        NEARLY_1,
    ),
    Change(
        ENGINE,
        "Math.abs(sum(line) - 1) <= 1e-9",
        "sum(line) === 1",
        "a light for sums that rounding turns off",
        LIGHTS,
    ),
    Change(
        ENGINE,
        "isOne(line) && line.every",
        "line.every",
        "inside the values without a sum of 1",
        LIGHTS,
    ),
    Change(
        ENGINE,
        "every((x) => x >= 0)",
        "every((x) => x > 0)",
        "a share of 0 counts as outside the values",
        LIGHTS,
    ),
    Change(
        ENGINE,
        "rows.every((i) => holds(one.weights[i]))",
        "one.weights.every(holds)",
        "lights for rows that are not shown",
        LIGHTS,
    ),
    Change(
        ENGINE,
        "one.weights.flat().some(Number.isNaN)",
        "false",
        "no look into the future where shares are undefined",
        UNDEFINED,
    ),
    Change(
        ENGINE,
        "(i <= k ? line",
        "(i < k ? line",
        "off by one: a word notices that it is poked itself",
        TRAPS,
    ),
    Change(
        ENGINE,
        "S.tokens.slice(1).some",
        "S.tokens.slice(2).some",
        "off by one: the last word is never poked alone",
        POKES,
    ),
    Change(
        ENGINE,
        "headsOf(S).some((one, h) => moves(one.weights[k],"
        " headsOf(poked)[h].weights[k], Math.abs)) || ",
        "",
        "the light for the future ignores the attention weights",
        SPECKS,
    ),
    Change(
        ENGINE,
        " || contextMoves(S, poked, k)",
        "",
        "the light for the future ignores the contexts",
        TRAPS,
    ),
    Change(
        ENGINE,
        "1e-12 * size(x)",
        "1e-9 * size(x)",
        "small leaks pass for rounding",
        LEAK,
    ),
    Change(
        ENGINE,
        "1e-12 * size(x)",
        "0 * size(x)",
        "rounding passes for a leak",
        ROUNDING,
    ),
    Change(
        ENGINE,
        "headsOf(T)[h].context[i], () => terms)",
        "headsOf(T)[h].context[i], Math.abs)",
        "a context compared with itself: vast values that cancel pass for a leak",
        CANCELS,
    ),
    Change(
        ENGINE,
        "random() * Math.max(1, Math.abs(x))",
        "random() * Math.abs(x)",
        "an embedding of 0 is not poked",
        POKES,
    ),
    Change(
        ENGINE,
        "return 0.5 + seed / 2147483647",
        "return 1",
        "all pokes are equal, and may cancel",
        POKES,
    ),
    # ---- options ----
    Change(
        MASKS,
        "=> j <= i",
        "=> j < i",
        "a word may not look at itself",
        STAGES,
    ),
    Change(
        MASKS,
        "=> j <= i",
        "=> i <= j",
        "the past is hidden, not the future",
        STAGES,
    ),
    Change(
        OPTIONS,
        "(S) => S.queries[0].length",
        "(S) => S.values[0].length",
        "d_v taken for d_k",
        STAGES,
    ),
    Change(
        OPTIONS,
        "(S) => S.embeddings[0].length",
        "(S) => S.embeddings.length",
        "the number of words taken for d_in",
        STAGES,
    ),
    Change(
        NUMBERS,
        "1e-12 * sum(line.map(Math.abs))",
        "0",
        "a sum that rounding keeps from 0 is divided by",
        STAGES,
    ),
    Change(
        MASKS,
        "fill: 0, hides: [] }",
        'fill: 0, hides: ["weights"] }',
        "attention weights hatched that zeroed scores do not hide",
        HIDDEN,
    ),
    Change(
        OPTIONS,
        "S.dropout_p > 0 && ",
        "",
        "dropout with p = 0 drops",
        STAGES,
    ),
    # ---- words ----
    Change(
        TOLD,
        "Math.abs(largest) > 20 ? largest : 0",
        "Math.abs(largest) > 2000 ? largest : 0",
        "a sentence with exp of hundreds",
        LONG,
    ),
    Change(
        TOLD,
        "[S.masked_scores[i], j] : [column(S.masked_scores, j), i]",
        "[S.masked_scores[i], i] : [column(S.masked_scores, j), j]",
        "the sentence of a share takes another word's score",
        SENTENCES,
    ),
    Change(
        TOLD,
        "S.shares[i].filter((_, k) => maySee(S, i, k))",
        "S.shares[i]",
        "what is left after masking includes what was masked",
        SENTENCES,
    ),
    Change(
        WORDS,
        "{share} ÷ (1 − {p})",
        "{share} ÷ ({p})",
        "the sentence divides by p",
        SENTENCES,
    ),
    Change(
        NUMBERS,
        "two(signed(b[k]))",
        "two(signed(a[k]))",
        "the sentence multiplies numbers by themselves",
        SENTENCES,
    ),
    Change(
        NUMBERS,
        "x.toFixed(4)",
        "x.toFixed(3)",
        "a sentence with one decimal too few",
        EXACTLY,
    ),
    Change(
        NUMBERS,
        "top - x <= 1e-9 * Math.abs(top)",
        "top - x <= 0",
        "a tie broken by rounding",
        SPREAD,
    ),
    Change(
        NUMBERS,
        "top - x <= 1e-9 * Math.abs(top)",
        "top - x <= 1e-2 * Math.abs(top)",
        "a near tie taken for one",
        SPREAD,
    ),
    Change(
        NUMBERS,
        "(x / total) * Math.log(x / total)",
        "x * Math.log(x)",
        "the spread of shares that do not sum to 1",
        SPREAD,
    ),
    Change(
        TOLD,
        ">= 0.94 * words",
        ">= 0.94 * S.tokens.length",
        "a row called uneven for the words it may not see",
        ROWS,
    ),
    # ---- questions ----
    Change(
        QUESTIONS,
        "i === last ? row.map(poke)",
        "i === 0 ? row.map(poke)",
        "the first word changes, not the last",
        LAST,
    ),
    Change(
        QUESTIONS,
        "row.map((x) => 2 * x)",
        "row.map((x) => -x)",
        "a matrix flipped, not doubled",
        IN_QUESTIONS + "test_doubled_is_not_flipped",
    ),
    Change(
        QUESTIONS,
        "asked(zeroed).weights[0].slice(1)",
        "asked(zeroed).weights[0]",
        "what the first word gives itself counts as a leak",
        ZEROED,
    ),
    # ---- edits ----
    Change(
        STORE,
        "W_key: state.tied ? state.W_query : state.W_key",
        "W_key: state.W_key",
        "a tied W_key does not follow",
        TIE,
    ),
    Change(
        CONTROLS,
        '{ tied: false, W_key: startOf(store.state, "W_key") ?? store.state.W_key }',
        "{ tied: false }",
        "an untied W_key stays what it was",
        TIE,
    ),
    Change(
        STORE,
        "(x * factor).toFixed",
        "(x + factor).toFixed",
        "a row moved, not stretched",
        STRETCH,
    ),
    Change(
        STORE,
        "decimals(x) + 2)",
        "decimals(x))",
        "a stretched row rounded to the decimals it had",
        STRETCH,
    ),
    Change(
        STORE,
        "k === 0 ? base : ",
        "",
        "there and back again is computed, not remembered",
        STEPS,
    ),
    Change(
        STORE,
        "Number((base + k * step).toFixed(",
        "Number((base + k * step).toString(10 + 0 * ",
        "steps that are no exact decimals",
        STEPS,
    ),
    Change(
        STORE,
        "Math.max(decimals(base), decimals(step))",
        "decimals(step)",
        "a step that rounds what stood there before",
        STEPS,
    ),
    Change(
        STORE,
        "[2, 2.5, 2][k % 3]",
        "2",
        "slider ranges of 4, 8, 16, not 5, 10, 20",
        RANGES,
    ),
    Change(
        STORE,
        "size < x && k < 60",
        "size <= x && k < 60",
        "a slider range one size too wide",
        RANGES,
    ),
    Change(
        STORE,
        "Math.min(most, Math.max(least, x))",
        "Math.max(least, x)",
        "a slider without an upper end",
        DRAG,
    ),
    Change(
        HANDS,
        "value) > LIMITS.number",
        "value) > 10 * LIMITS.number",
        "numbers beyond a million accepted",
        REFUSED,
    ),
    Change(
        STORE,
        "history.push(pick(old, undoable))",
        "history.push(pick(now, undoable))",
        "undo that goes back to where it is",
        UNDO,
    ),
    Change(
        STORE,
        "history = earlier;",
        "",
        "undo that undoes itself",
        UNDO,
    ),
    Change(
        STORE,
        "before ??= store.state",
        "before = store.state",
        "undo of the last pixel of a drag only",
        UNDO,
    ),
    Change(
        STORE,
        "if (store.hand) store.release();",
        "",
        "undo while a hand holds on takes back an earlier gesture",
        UNDO,
    ),
    Change(
        STORE,
        'if (["start", "tokens"].some((name) => news.includes(name))) history = [];',
        "",
        "undo across examples that the kernel loads",
        OUTSIDE,
    ),
    Change(
        STORE,
        "if (store.hand || news.length === 0) return;",
        "if (news.length === 0) return;",
        "the kernel moves a number that a hand holds",
        OUTSIDE,
    ),
    Change(
        STORE,
        "!same(state[name], state.start[name])",
        "true",
        "a range that stays wide after a reset",
        RESET,
    ),
    # ---- learning ----
    Change(
        LEARNING,
        "(share - (k === wish.j)) / all.length",
        "(share - (k === wish.j))",
        "slopes of the sum of losses, not of their mean",
        GRADIENTS,
    ),
    Change(
        LEARNING,
        "x - S.rate * G",
        "x + S.rate * G",
        "a step up the slope",
        STEP,
    ),
    Change(
        LEARNING,
        "if (S.tied && S.W_query) G.W_query",
        "if (false) G.W_query",
        "tied matrices that go their own ways",
        TIED,
    ),
    Change(
        ENGINE,
        'const passed = unmasked(S, "weights", kept);',
        "const passed = kept;",
        "slopes through shares that are written over",
        NUDGES,
    ),
    Change(
        SLOPES,
        'slope > 0 ? "left" : "right"',
        'slope < 0 ? "left" : "right"',
        "arrows that point up the slope",
        ARROWS,
    ),
    Change(
        WALK,
        "n === ENDS.longest ?",
        "n === 2 * ENDS.longest ?",
        "a run of a thousand steps",
        LONG_WAY,
    ),
    Change(
        WALK,
        "since === ENDS.patience",
        "since === 2 * ENDS.patience",
        "a run that goes on without gain",
        NO_GAIN,
    ),
    Change(
        STORE,
        "store.interrupt?.();\n      clearTimeout(timer);\n      before ??=",
        "clearTimeout(timer);\n      before ??=",
        "a run that goes on under a hand",
        INTERRUPTED,
    ),
    Change(
        STORE,
        "store.state = recorded(rested(now));",
        "store.state = rested(now);",
        "a hand's steps are not on the curve",
        ARROWS,
    ),
    Change(
        DRAWN,
        "count ^ key",
        "count",
        "every seed draws the same",
        IN_LABORATORY + "test_the_draws_are_numpys",
    ),
    Change(
        DRAWN,
        "x / way.by",
        "x",
        "no cure divides",
        IN_LABORATORY + "test_every_d_k_shows_numpys_numbers",
    ),
    Change(
        DRAWN,
        "< FROZEN",
        "> FROZEN",
        "the rows that move are called frozen",
        IN_LABORATORY + "test_every_d_k_shows_numpys_numbers",
    ),
    Change(
        DRAWN,
        "latest.averages[d_k] ??= averaged(latest.numbers, rows, d_k)",
        "latest.averages.all ??= averaged(latest.numbers, rows, d_k)",
        "an average that is kept for every length",
        IN_LABORATORY + "test_every_d_k_shows_numpys_numbers",
    ),
    Change(
        LABORATORY,
        "isLocked(S) ? DRAWN.hides[S.predict] : []",
        "[]",
        "a table that stands there before its question is answered",
        IN_LABORATORY + "test_nothing_is_shown_before_the_words_are_predicted",
    ),
    Change(
        LABORATORY,
        "Math.abs(to - from)",
        "to - from",
        "the cure that lets a row fall furthest",
        IN_LABORATORY + "test_the_cures_are_hidden_until_one_is_chosen",
    ),
    # ---- several heads ----
    Change(
        NUMBERS,
        "line.slice((k * line.length) / blocks, ((k + 1) * line.length) / blocks)",
        "line.filter((_, j) => j % blocks === k)",
        "every second column to a head instead of a block",
        EACH,
    ),
    Change(
        ENGINE,
        "if (one.isOff) one.context",
        "if (false) one.context",
        "a head that is off and still hands over",
        EACH,
    ),
    Change(
        ENGINE,
        "headsOf(S).filter((one) => !one.isOff)",
        "headsOf(S)",
        "a head that is off and negative puts out the light of the others",
        EACH,
    ),
    Change(
        ENGINE,
        "const first = head * width + (col ?? 0);",
        "const first = col ?? 0;",
        "the cells of the first head lit for every head",
        WHOSE,
    ),
    Change(
        ENGINE,
        "return headsOf(S).some((one, h) => moves(",
        "return headsOf(S).slice(0, 1).some((one, h) => moves(",
        "a light that looks at the shares of the first head only",
        ANY_HEAD,
    ),
    Change(
        LEARNING,
        "one.isOff ? none(one.context) : block",
        "block",
        "slopes through a head that is off",
        SLOPES_OFF,
    ),
    Change(
        LEARNING,
        "Math.min(at, (S.heads ?? 1) - 1)",
        "0",
        "every wish a wish of the first head",
        SLOPES_OF_EACH,
    ),
    Change(
        QUESTIONS,
        "headsOf(S).at(-1)",
        "headsOf(S)[0]",
        "a question about the first head",
        LAST_HEAD,
    ),
]
