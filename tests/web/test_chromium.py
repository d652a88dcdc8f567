"""Tests of the driver of the browser itself."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

pytest.importorskip("textual_serve", reason="the extra web is not installed: pip install -e '.[web]'")

from tests.waiting import HANG
from tests.web.chromium import Chromium, Page, chromium, found

if found() is None:
    pytest.skip("no Chromium on this machine (Debian: apt-get install chromium)", allow_module_level=True)

OLD, NEW = "data:text/html,<title>old</title>", "data:text/html,<title>new</title>"


@pytest.fixture
async def browser() -> AsyncIterator[Chromium]:
    async with chromium() as browser:
        yield browser


# Without a value in the old document; its title says when it was asked there.
ASKED = "document.title === 'new' ? 7 : (document.title = 'asked', window.kept = new Promise(() => {}))"


async def asked(page: Page) -> asyncio.Task[Any]:
    """Ask for a value that the document has not; return once it was asked."""
    value = asyncio.create_task(page.value(ASKED))
    async with asyncio.timeout(HANG):
        while await page.value("document.title") != "asked":
            await asyncio.sleep(0.01)
    return value


async def test_a_value_is_asked_of_the_next_document_where_a_navigation_breaks_it_off(browser: Chromium) -> None:
    page = await browser.open(OLD)
    value = await asked(page)
    await page.call("Page.navigate", url=NEW)
    assert await value == 7


async def test_a_value_of_a_page_that_is_closed_raises(browser: Chromium) -> None:
    page = await browser.open(OLD)
    value = await asked(page)
    await page.close()
    with pytest.raises(ConnectionError):
        await value


async def test_a_value_that_cannot_be_asked_for_raises(browser: Chromium) -> None:
    page = await browser.open(OLD)
    with pytest.raises(RuntimeError, match="Invalid parameters"):
        await page.value(7)  # type: ignore[arg-type]
