"""Grade a folder of handed-in notebooks: `python -m attention_helpers.grade FOLDER`.

It runs strangers' code, so two processes share the work on a notebook. The *kernel*
(`kernel.py`) runs the learner's cells, in a box where there is one (`box.py`). The
*grader* (`run.py`) never runs a line of the learner's. They speak through a pipe, in
JSON (`wire.py`): the grader sends a cell, the kernel says which exercise was checked,
and the grader judges the answer itself. A function stays in the kernel and is called
through the pipe (`answers.py`), so all that can reach a verdict is numbers.
"""
