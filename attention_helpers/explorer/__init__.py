"""The live widgets, one room for one job.

`widget` holds the options, `traits` what they may be, `masks` the styles of masking,
`goals` the wishes, `twin` what stays still, `curve` the losses in it, `links` the way
into an address, `bundle` what the browser gets, `typed` a reader's own words.
`laboratory` is the widget of chapter 4, of the same house.
"""

from ..checks import INPUTS, MATRICES
from ..facts import LEARNED, SITE
from .bundle import LOADER, SOURCE, STYLE
from .laboratory import ScaleLaboratory, scale_laboratory
from .masks import DIVISORS, MASKS, attention_of
from .traits import MOST_TOKENS
from .twin import QUESTIONS, STAGES
from .typed import word_box
from .widget import CONTROLS, OPTIONS, STATE, Explorer, explore, page_state

__all__ = [
    "CONTROLS",
    "DIVISORS",
    "INPUTS",
    "LEARNED",
    "LOADER",
    "MASKS",
    "MATRICES",
    "MOST_TOKENS",
    "OPTIONS",
    "QUESTIONS",
    "SITE",
    "SOURCE",
    "STAGES",
    "STATE",
    "STYLE",
    "Explorer",
    "ScaleLaboratory",
    "attention_of",
    "explore",
    "page_state",
    "scale_laboratory",
    "word_box",
]
