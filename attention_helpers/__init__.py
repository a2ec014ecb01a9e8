"""Learn the attention mechanism by hand: the helpers behind the notebooks.

Start reading at `attention_helpers/attention.py`; the mathematics is all there.
"""

from ._version import __version__
from .attention import Attention, attention, causal_mask, self_attention, softmax
from .examples import Example, examples
from .explorer import Explorer, explore
from .heatmap import heatmap

__all__ = [
    "Attention",
    "Example",
    "Explorer",
    "__version__",
    "attention",
    "causal_mask",
    "examples",
    "explore",
    "heatmap",
    "self_attention",
    "softmax",
]
