"""The playground: one goal for the hand in each sentence."""

from __future__ import annotations

from .judge import Goal

MOST = 0.005  # apart: the same share to two decimals

EXERCISES = (
    Goal(
        name="robot goal",
        example="robot",
        edit=("W_key",),
        asks="carries",
        watch=("child",),
        wish="carries gives child at least 0.60",
        reached=lambda row: row["child"] >= 0.6,
        nudge="carries asks who does it?, so the number stands in the column who does"
        " it. Either what robot has answers less, or what child has answers more.",
    ),
    Goal(
        name="queen goal",
        example="queen",
        edit=("embeddings",),
        asks="it",
        watch=("queen", "cup"),
        wish="it gives queen and cup the same to two decimals, at least 0.35 each",
        reached=lambda row: (
            abs(row["queen"] - row["cup"]) <= MOST
            and min(row["cup"], row["queen"]) >= 0.35
        ),
        nudge="it is a bit of a thing, and asks for one. Either it becomes as much of a"
        " person, or the queen becomes a thing as well.",
    ),
    Goal(
        name="horse goal",
        example="horse",
        edit=("embeddings",),
        asks="it",
        watch=("horse",),
        wish="it gives horse at least 0.60",
        reached=lambda row: row["horse"] >= 0.6,
        nudge="it has to ask who is alive? louder, without being more alive itself."
        " Which other columns ask that, in W_query?",
    ),
    Goal(
        name="soup goal",
        example="soup",
        edit=("W_query", "W_key"),
        asks="soup",
        stage="context",
        watch=("pleasant", "flipped"),
        wish="the context of soup holds at least 0.70 pleasant and 0.70 flipped",
        reached=lambda row: min(row["pleasant"], row["flipped"]) >= 0.7,
        nudge="soup has to hear good and not about equally. Either a thing asks"
        " flipped? too, or what flips answers like what?, and neither too loudly.",
    ),
    Goal(
        name="weather goal",
        example="weather",
        edit=("embeddings",),
        asks="sun (2)",
        watch=("snow",),
        wish="sun (2) gives snow at least 0.60",
        reached=lambda row: row["snow"] >= 0.6,
        nudge="Either snow says that it came after sun, louder than rain does, or the"
        " second sun asks what followed rain?.",
    ),
)
