# On Windows, README.md has the same three as plain commands.
PYTHON ?= python3
IN_VENV = .venv/bin/python

.PHONY: lab test notebooks site lite reach

lab: ## open JupyterLab at the first notebook; PORT=9000 chooses the port
	@$(PYTHON) tools/environment.py lab
	@$(IN_VENV) tools/start_lab.py

test: ## lint, types, every notebook, every test
	@$(PYTHON) tools/environment.py test
	@$(IN_VENV) tools/browser.py --install
	@$(IN_VENV) tools/check.py

notebooks: ## run every notebook again and store its outputs
	@$(PYTHON) tools/environment.py test
	@$(IN_VENV) tools/notebooks.py

site: ## a page for every notebook, alive without a kernel, in _site/
	@$(PYTHON) tools/environment.py test
	@$(IN_VENV) tools/pages.py

lite: ## the browser-only lab, in _lite/
	@$(PYTHON) tools/environment.py test
	@$(IN_VENV) tools/lite.py

reach: ## try Voilà, Notebook 7 and JupyterLab 4.4.9, each in an environment of its own
	@$(PYTHON) tools/environment.py test
	@$(IN_VENV) tools/browser.py --install
	@$(IN_VENV) tools/reach.py

.PHONY: bench
bench: ## time the explorer beside other ways to draw it, in .venv-bench
	@$(PYTHON) benchmarks/run.py

.PHONY: hub hub-test
hub: ## a JupyterHub for a class on this Linux machine, in .venv-hub; PORT=9000 chooses the port
	@$(PYTHON) tools/hub/start.py

hub-test: ## log two learners in at such a hub: does one reach what is the other's?
	@$(PYTHON) tools/environment.py test
	@$(IN_VENV) tools/browser.py --install
	@$(IN_VENV) tools/hub/trial.py --install
	@$(IN_VENV) -m pytest -n 0 tools/hub/tests

.PHONY: mutants
mutants: ## change one thing at a time: does a test notice? LIST=engine for one list
	@$(PYTHON) tools/environment.py test
	@$(IN_VENV) tools/browser.py --install
	@$(IN_VENV) tests/mutation/run.py $(LIST)
