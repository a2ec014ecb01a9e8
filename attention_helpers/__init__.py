"""Learn the attention mechanism by hand: the helpers behind the notebooks.

Start reading at `attention_helpers/attention.py`; the mathematics is all there.
"""

from ._version import __version__
from .attention import (
    Attention,
    attention,
    causal_mask,
    multi_head_attention,
    self_attention,
    softmax,
)
from .examples import Example, examples
from .explorer import Explorer, ScaleLaboratory, explore, scale_laboratory, word_box
from .heatmap import heatmap
from .learning import Descent, Gradients, descend, gradients
from .random_rows import AverageRow, average_rows
from .text import plain_numbers

__all__ = [
    "Attention",
    "AverageRow",
    "Descent",
    "Example",
    "Explorer",
    "Gradients",
    "ScaleLaboratory",
    "__version__",
    "attention",
    "average_rows",
    "causal_mask",
    "descend",
    "examples",
    "explore",
    "gradients",
    "heatmap",
    "multi_head_attention",
    "plain_numbers",
    "scale_laboratory",
    "self_attention",
    "softmax",
    "word_box",
]
