"""Builds the command for the wheel, by the Go toolchain, for GOOS and GOARCH or the machine at hand."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

REPOSITORY = Path(__file__).resolve().parents[2]

# The binary is static, so it runs with glibc and with musl of any age.
PLATFORMS = {
    ("linux", "amd64"): "manylinux_2_17_x86_64.musllinux_1_1_x86_64",
    ("linux", "arm64"): "manylinux_2_17_aarch64.musllinux_1_1_aarch64",
    ("darwin", "amd64"): "macosx_12_0_x86_64",
    ("darwin", "arm64"): "macosx_12_0_arm64",
    ("windows", "amd64"): "win_amd64",
    ("windows", "arm64"): "win_arm64",
}


def described() -> str:
    """The version of the binary: VERSION, or what git says."""
    given = os.environ.get("VERSION")
    if given:
        return given
    git = subprocess.run(["git", "describe", "--tags", "--always", "--dirty"], cwd=REPOSITORY, capture_output=True, text=True)
    return git.stdout.strip() or "dev"


def version() -> str:
    """The version in the form of PEP 440: that of a tag, or 0.dev0 with the commit."""
    text = described()
    if re.fullmatch(r"v?\d+(\.\d+)*((a|b|rc)\d+)?", text):
        return text.removeprefix("v")
    return "0.dev0+" + re.sub(r"[^a-z0-9]+", ".", text.lower()).strip(".")


class BinaryHook(BuildHookInterface):
    def initialize(self, version: str, build_data: dict) -> None:
        if version == "editable":
            raise RuntimeError("an editable installation has no place for the binary: pip install . instead")

        def go(*args: str, **env: str) -> str:
            done = subprocess.run(["go", *args], cwd=REPOSITORY, env=os.environ | env, stdout=subprocess.PIPE, text=True)
            if done.returncode:
                raise RuntimeError(f"go {args[0]} failed; the wheel is built with the Go of go.mod, or a later one")
            return done.stdout

        system, processor = go("env", "GOOS", "GOARCH").split()
        self.built = Path(tempfile.mkdtemp())
        name = "forecaster.exe" if system == "windows" else "forecaster"
        go("build", "-trimpath", "-gcflags=all=-dwarf=false", "-ldflags", f"-s -w -X github.com/orffvar/forecaster/internal/wire.version={described()}",
           "-o", str(self.built / name), "./cmd/forecaster", CGO_ENABLED="0")
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{PLATFORMS[system, processor]}"
        build_data["force_include"][str(self.built / name)] = f"orffvar/bin/{name}"
        build_data["force_include"][str(REPOSITORY / "LICENSE")] = "orffvar/bin/LICENSE"

    def finalize(self, version: str, build_data: dict, artifact_path: str) -> None:
        shutil.rmtree(self.built)
