"""axe-core finds nothing to complain about, on any page, in light and dark."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", ["/", "/lab"])
def test_no_violations(new_page, path, scheme):
    page = new_page(scheme=scheme)
    page.goto(path)
    page.get_by_role("gridcell", name="weights, query p0, key p3").click()
    expect(page.locator(".st-key-arithmetic")).to_contain_text("0.6471")
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
