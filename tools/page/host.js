// Every explorer of a page that brings its states along. A link to one of them opens it alone.
for (const root of document.querySelectorAll("[data-state]")) mount(root, JSON.parse(root.dataset.state));
