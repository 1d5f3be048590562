"""Documentation of Sphinx with equations in it, in a browser."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import Browser

LAYERS = Path(__file__).resolve().parents[2] / "functional" / "projects" / "layers"


def test_a_page_is_laid_out_without_scripts_or_network(browser: Browser, tmp_path: Path) -> None:
    shutil.copytree(LAYERS, tmp_path / "layers", ignore=shutil.ignore_patterns("__pycache__"))
    environment = dict(os.environ)
    if "PYTHONPATH" in environment:
        entries = environment["PYTHONPATH"].split(os.pathsep)
        environment["PYTHONPATH"] = os.pathsep.join(map(os.path.abspath, entries))
    command = [sys.executable, "-m", "sphinx", "-W", "-q", "docs", "out"]
    subprocess.run(command, cwd=tmp_path / "layers", env=environment, check=True, timeout=120)
    context = browser.new_context(java_script_enabled=False, viewport={"width": 900, "height": 800})
    page, asked = context.new_page(), []
    page.on("request", lambda request: asked.append(request.url))
    page.goto((tmp_path / "layers" / "out" / "index.html").as_uri())
    block, inline = page.locator("div.eqtrace-math math").first, page.locator("p math").first
    for formula in (block, inline):
        box = formula.bounding_box()
        assert box is not None
        assert box["width"] > 10
        assert box["height"] > 8
    badge = page.locator(".eqtrace-verdict")
    assert badge.inner_text() == "✓ certified"
    assert badge.evaluate("each => getComputedStyle(each).borderTopStyle") == "solid"
    page.get_by_role("link", name="smooth").click()
    assert page.url.endswith("more.html#eqtrace-impl.ops-softplus")
    assert page.locator('[id="eqtrace-impl.ops-softplus"]').is_visible()
    assert len(page.screenshot(full_page=True)) > 5000
    assert all(url.startswith("file:") for url in asked)
    context.close()
