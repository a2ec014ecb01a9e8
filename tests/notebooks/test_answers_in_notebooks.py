"""Answers typed into a chapter meet the names that its cells have left behind."""

import inspect
import textwrap
from functools import cache

import numpy as np
import pytest
from chapter import cells
from IPython.core.interactiveshell import InteractiveShell

from attention_helpers.exercises import check


class Notebook:
    """A chapter whose cells have run up to its exercises."""

    def __init__(self, name: str) -> None:
        self.shell = InteractiveShell()
        with np.printoptions():  # a chapter sets its own
            for cell in cells(name):
                if "check(" in cell.source:
                    break
                raises = "raises-exception" in cell.metadata.get("tags", [])
                if cell.cell_type == "code" and not raises:
                    self.run(cell.source)

    def run(self, source: str) -> None:
        done = self.shell.run_cell(source, silent=True)
        assert done.success, source

    def said(self, exercise: str, answer: str) -> str:
        """Type an answer, `def answer(...)`, and return what is said, as one line."""
        self.run(textwrap.dedent(answer))
        result = check(exercise, self.shell.user_ns["answer"], record=False)
        assert result.status == "not yet"
        return " ".join(result.text.split())


@cache
def chapter(name: str) -> Notebook:
    return Notebook(name)


ANSWERS = {
    "01_one_word.ipynb": [
        (
            "scores of one word",
            "def answer(query, embeddings): return bank.embeddings @ query",
            "bank is none of its inputs but the notebook's, an Example",
        ),
        (
            "weighted average",
            """
            def answer(shares, rows):
                context = np.zeros(4)
                for weight, embedding in zip(shares, rows):
                    context += weight * embedding
                return context
            """,
            "All would be right if the 4 that it has written out were a size",
        ),
        (
            "weighted average",
            """
            def answer(shares, rows):
                for weight, embedding in zip(shares, rows):
                    context += weight * embedding
                return context
            """,
            "context is used before it has a value in this function",
        ),
        (
            "softmax",
            "def answer(scores): return exponentials / exponentials.sum()",
            "exponentials is none of its inputs but the notebook's, 5 numbers in one",
        ),
        (
            "softmax",
            "answer = lambda scores: softmax(scores)",
            "made by softmax, a library's function",
        ),
    ],
    "02_all_words.ipynb": [
        (
            "all scores",
            """
            def answer(embeddings):
                for i, a in enumerate(embeddings):
                    for j, b in enumerate(embeddings):
                        scores[i, j] = a @ b
                return scores
            """,
            "scores is none of its inputs but the notebook's, a table of 5 rows × 5",
        ),
        (
            "softmax of every row",
            "def answer(scores): return np.exp(scores) / sums",
            "sums is none of its inputs but the notebook's, a table of 5 rows × 1",
        ),
        (
            "contexts",
            "def answer(attention_weights, rows): return weights @ rows",
            "weights is none of its inputs but the notebook's",
        ),
    ],
    "03_trainable_weights.ipynb": [
        (
            "self-attention",
            """
            def answer(embeddings, W_query, W_key, W_value):
                queries, values = embeddings @ W_query, embeddings @ W_value
                return softmax(queries @ keys.T / np.sqrt(2)) @ values
            """,
            "keys is none of its inputs but the notebook's, a table of 5 rows × 2",
        ),
        (
            "self-attention class",
            """
            class answer:
                def __init__(self, W_query, W_key, W_value):
                    self.W_query = W_query

                def __call__(self, embeddings):
                    return embeddings @ self.W_query @ W_key.T
            """,
            "W_key is the notebook's here. Inside a class, write self.W_key.",
        ),
    ],
    "04_scaled.ipynb": [
        (
            "divisor",
            "def answer(X, queries, keys, values): return np.sqrt(size)",
            "size is none of its inputs but the notebook's, 512",
        ),
        (
            "scaled attention",
            "def answer(q, k, v): return softmax(q @ k.T * score) @ v",
            "score is none of its inputs but the notebook's, ",
        ),
        (
            "scaled attention",
            "def answer(q, k, v): return attention(q, k, v).context",
            "made by attention, a library's function",
        ),
        (
            "spread",
            "def answer(d_k, rng): return spread[sizes.index(d_k)]",
            "60 is not in that list",
        ),
    ],
    "05_masked.ipynb": [
        (
            "causal mask",
            "def answer(n_tokens): return mask",
            "mask is none of its inputs but the notebook's, a table of 5 rows × 5",
        ),
        (
            "masked attention",
            """
            def answer(queries, keys, values):
                scores = queries @ keys.T / np.sqrt(keys.shape[1])
                return softmax(np.where(causal_mask(5), scores, -np.inf)) @ values
            """,
            "All would be right if the 5 that it has written out were a size",
        ),
        (
            "masked attention",
            """
            def my_mask(n_tokens):
                return ...

            def answer(queries, keys, values):
                scores = queries @ keys.T / np.sqrt(keys.shape[1])
                return softmax(np.where(my_mask(len(scores)), scores, -np.inf)) @ values
            """,
            "my_mask still returns a ... and waits to be filled",
        ),
        (
            "leaks",
            """
            def answer(attend):
                poked = bank.embeddings.copy()
                poked[-1] = 0
                return not np.allclose(attend(poked)[:-1], context[:-1])
            """,
            "a table from elsewhere comes from another attend",
        ),
    ],
    "07_many_heads.ipynb": [
        (
            "split",
            "def answer(matrix, heads): return [queries[:, [h]] for h in range(heads)]",
            "queries is none of its inputs but the notebook's, a table of 5 rows × 2",
        ),
        (
            "divisor of a head",
            "def answer(W_query, heads): return np.sqrt(two.W_query.shape[1] / heads)",
            "two is none of its inputs but the notebook's, an Example",
        ),
        (
            "side by side",
            """
            def answer(embeddings, W_query, W_key, W_value, heads):
                matrices = W_query, W_key, W_value
                return multi_head_attention(embeddings, *matrices, heads=heads).output
            """,
            "made by multi_head_attention, a library's function",
        ),
        (
            "side by side",
            """
            def my_split(matrix, heads):
                return ...

            def answer(embeddings, W_query, W_key, W_value, heads):
                tables = [my_split(embeddings @ W, heads) for W in (W_query, W_key)]
                return np.hstack(tables[0])
            """,
            "my_split still returns a ... and waits to be filled",
        ),
    ],
}


@pytest.mark.parametrize(
    ("name", "exercise", "answer", "words"),
    [(name, *answer) for name, answers in ANSWERS.items() for answer in answers],
)
def test_what_an_answer_takes_from_its_notebook_is_told(
    name: str, exercise: str, answer: str, words: str
) -> None:
    assert words in chapter(name).said(exercise, answer)


def test_the_names_of_a_notebook_are_put_back() -> None:
    scaled = chapter("04_scaled.ipynb")
    space = scaled.shell.user_ns
    before = dict(space)
    scaled.said("divisor", "def answer(X, q, k, v): return np.sqrt(size) + len(sizes)")
    changed = {name for name in before if space[name] is not before[name]}
    assert {name for name in changed if not name.startswith("_")} <= {"answer"}


def test_an_answer_of_a_notebook_has_a_source() -> None:
    """The check looks for sizes in it, and names its line."""
    shell = InteractiveShell()
    shell.run_cell("def answer(n_tokens):\n    return 5")
    assert "return 5" in inspect.getsource(shell.user_ns["answer"])
