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

def new_slider(width="132px"):
    return widgets.FloatSlider(min={LOW}, max={HIGH}, step={STEP}, value={START},
        readout=False, style={{"description_width": "0px"}},
        layout=widgets.Layout(width=width))
"""

OURS = f"""
example = Example(words, embeddings,
    slider={{"min": {LOW}, "max": {HIGH}, "step": {STEP}}})
explore(example, stages=["embeddings", "weights"])
"""

INTERACT = """
%matplotlib inline
import matplotlib.pyplot as plt

def draw(x):
    weights = attention_weights(x)
    figure, axes = plt.subplots(figsize=(4, 4))
    axes.imshow(weights, vmin=0, vmax=1, cmap="Blues")
    axes.set_xticks(range(6), words)
    axes.set_yticks(range(6), words)
    for i in range(6):
        for j in range(6):
            axes.text(j, i, f"{weights[i, j]:.2f}", ha="center", va="center")
    plt.show()

widgets.interact(draw, x=new_slider("140px"));  # its label takes 8 pixels
"""

PLOTLY = """
import plotly.graph_objects as go

heatmap = go.Heatmap(z=attention_weights(embeddings[1, 1]), x=words, y=words,
    zmin=0, zmax=1, colorscale="Blues", texttemplate="%{z:.2f}", showscale=False)
figure = go.FigureWidget(heatmap)
figure.update_layout(width=400, height=400)
slider = new_slider()

def update(change):
    figure.data[0].z = attention_weights(change.new)

slider.observe(update, "value")
widgets.VBox([slider, figure])
"""

BQPLOT = """
import bqplot

rows, columns = bqplot.OrdinalScale(), bqplot.OrdinalScale()
colour = bqplot.ColorScale(scheme="Blues", min=0, max=1)
heatmap = bqplot.GridHeatMap(color=attention_weights(embeddings[1, 1]),
    row=words, column=words, display_format=".2f",
    scales={"row": rows, "column": columns, "color": colour})
figure = bqplot.Figure(marks=[heatmap],
    axes=[bqplot.Axis(scale=rows, orientation="vertical"), bqplot.Axis(scale=columns)],
    layout=widgets.Layout(width="400px", height="400px"))
slider = new_slider()

def update(change):
    heatmap.color = attention_weights(change.new)

slider.observe(update, "value")
widgets.VBox([slider, figure])
"""

# How it is called in the table, the distribution it needs, its cell.
RIVALS = {
    "ours": ("explore", "attention-helpers", OURS),
    "interact": ("interact + matplotlib inline", "matplotlib", INTERACT),
    "plotly": ("plotly FigureWidget", "plotly", PLOTLY),
    "bqplot": ("bqplot GridHeatMap", "bqplot", BQPLOT),
}
