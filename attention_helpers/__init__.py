"""Learn the attention mechanism by hand: the helpers behind the notebooks.

Start reading at `attention_helpers/attention.py`; the mathematics is all there.
"""

from ._version import __version__
from .attention import Attention, attention, causal_mask, self_attention, softmax
from .examples import Example, examples

__all__ = [
    "Attention",
    "Example",
    "__version__",
    "attention",
    "causal_mask",
    "examples",
    "self_attention",
    "softmax",
]
