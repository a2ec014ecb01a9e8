"""The same heat map four times: attention weights of six words, one number to move.

Each cell draws a 6 x 6 map of colours with its 36 numbers, and moves the second number
of *journey*. Ours is moved by the cell itself, the others by a slider of 120 pixels
whose 120 steps are the steps of ours: a pixel is a step everywhere.
"""

START, LOW, HIGH, STEP = -1.5, -3.0, 3.0, 0.05

SETUP = f"""
import ipywidgets as widgets
from attention_helpers import Example, examples, explore, self_attention

journey = examples["journey"]
words = list(journey.tokens)
embeddings = journey.embeddings.copy()
embeddings[1, 1] = {START}

def attention_weights(x):
    embeddings[1, 1] = x
    return self_attention(embeddings, scale=1.0).weights

first = attention_weights({START})

def new_slider(width="132px"):
    return widgets.FloatSlider(min={LOW}, max={HIGH}, step={STEP}, value={START},
        readout=False, style={{"description_width": "0px"}},
        layout=widgets.Layout(width=width))
"""

# ---- the map, as each library draws it; `first` holds its numbers at the start ----

MATPLOTLIB_MAP = """
%matplotlib inline
import matplotlib.pyplot as plt

def paint(weights):
    figure, axes = plt.subplots(figsize=(4, 4))
    axes.imshow(weights, vmin=0, vmax=1, cmap="Blues")
    places = range(len(words))
    axes.set_xticks(places, words)
    axes.set_yticks(places, words)
    for i in places:
        for j in places:
            axes.text(j, i, f"{weights[i, j]:.2f}", ha="center", va="center")
"""

PLOTLY_MAP = """
import plotly.graph_objects as go

heatmap = go.Heatmap(z=first, x=words, y=words,
    zmin=0, zmax=1, colorscale="Blues", texttemplate="%{z:.2f}", showscale=False)
figure = go.FigureWidget(heatmap)
figure.update_layout(width=400, height=400)
"""

BQPLOT_MAP = """
import bqplot

rows, columns = bqplot.OrdinalScale(), bqplot.OrdinalScale()
colour = bqplot.ColorScale(scheme="Blues", min=0, max=1)
heatmap = bqplot.GridHeatMap(color=first,
    row=words, column=words, display_format=".2f",
    scales={"row": rows, "column": columns, "color": colour})
figure = bqplot.Figure(marks=[heatmap],
    axes=[bqplot.Axis(scale=rows, orientation="vertical"), bqplot.Axis(scale=columns)],
    layout=widgets.Layout(width="400px", height="400px"))
"""

# ---- moving one number ----

OURS = f"""
example = Example(words, embeddings,
    slider={{"min": {LOW}, "max": {HIGH}, "step": {STEP}}})
explore(example, stages=["embeddings", "weights"])
"""

INTERACT = f"""{MATPLOTLIB_MAP}
def draw(x):
    paint(attention_weights(x))
    plt.show()

widgets.interact(draw, x=new_slider("140px"));  # its label takes 8 pixels
"""

PLOTLY = f"""{PLOTLY_MAP}
slider = new_slider()

def update(change):
    figure.data[0].z = attention_weights(change.new)

slider.observe(update, "value")
widgets.VBox([slider, figure])
"""

BQPLOT = f"""{BQPLOT_MAP}
slider = new_slider()

def update(change):
    heatmap.color = attention_weights(change.new)

slider.observe(update, "value")
widgets.VBox([slider, figure])
"""

# ---- learning: sixty steps against the slopes, each drawn ----

STEPS = 60

LEARN_SETUP = f"""
import ipywidgets as widgets
import numpy as np
from attention_helpers import examples, explore, gradients, self_attention

bank = examples["bank"]
words, X, W_value = list(bank.tokens), bank.embeddings, bank.W_value
tables = np.random.default_rng(0).normal(scale=0.1, size=(2, 4, 2)).round(2)
wishes = {{"weights": {{0: 2, 1: 2, 2: 4, 3: 2, 4: 2}}}}
rate = 0.1
button = widgets.Button(description="learn")

def attention_weights():
    return self_attention(X, *tables, W_value).weights

first = attention_weights()

def learn(draw):
    for _ in range({STEPS}):
        slopes = gradients(X, *tables, W_value, goal=wishes)
        tables[0] -= rate * slopes.W_query
        tables[1] -= rate * slopes.W_key
        draw()
"""

LEARN_OURS = """
named = {words[i]: words[j] for i, j in wishes["weights"].items()}
explore("bank", W_query=tables[0], W_key=tables[1], goal={"weights": named}, rate=rate,
    train=["W_query", "W_key"], controls=["learn"], stages=["W_query", "weights"])
"""

LEARN_INTERACT = f"""{MATPLOTLIB_MAP}
from IPython.display import clear_output

output = widgets.Output()

def draw():
    paint(attention_weights())
    with output:
        clear_output(wait=True)
        plt.show()

draw()
button.on_click(lambda _: learn(draw))
widgets.VBox([button, output])
"""

LEARN_PLOTLY = f"""{PLOTLY_MAP}
def draw():
    figure.data[0].z = attention_weights()

button.on_click(lambda _: learn(draw))
widgets.VBox([button, figure])
"""

LEARN_BQPLOT = f"""{BQPLOT_MAP}
def draw():
    heatmap.color = attention_weights()

button.on_click(lambda _: learn(draw))
widgets.VBox([button, figure])
"""

LEARNERS = {
    "ours": LEARN_OURS,
    "interact": LEARN_INTERACT,
    "plotly": LEARN_PLOTLY,
    "bqplot": LEARN_BQPLOT,
}

# How it is called in the table, the distribution it needs, its cell.
RIVALS = {
    "ours": ("explore", "attention-helpers", OURS),
    "interact": ("interact + matplotlib inline", "matplotlib", INTERACT),
    "plotly": ("plotly FigureWidget", "plotly", PLOTLY),
    "bqplot": ("bqplot GridHeatMap", "bqplot", BQPLOT),
}
