"""What is drawn is also said: every number in a figure stands in a table or list that everybody can reach."""

# Opens the numbers of every figure in sight, and returns what is shown and not said.
MISSING = """async () => {
    const inSight = (one) => one.getClientRects().length > 0;
    const all = (selector, within = document) => [...within.querySelectorAll(selector)].filter(inSight);
    const asNumber = (text) => Number(text.replace("\\u2212", "-"));
    const missing = [];
    const texts = (place) => [...place.querySelectorAll("th, td")].map((cell) => cell.textContent.trim());
    for (const place of all(".js-plotly-plot")) {
        const name = place.getAttribute("aria-label") ?? "";
        if (place.getAttribute("role") !== "figure" || !name) missing.push("a figure without a name");
        const picture = place.closest(".picture"); // of a row of the board, which has its numbers
        if (picture) {
            if (picture.querySelector(".says").textContent !== name) missing.push(`not said beside it: ${name}`);
            if (/[{}]|:\\w+\\[/.test(name)) missing.push(`marks in ${name}`);
            continue;
        }
        const numbers = place.numbers ?? place.parentElement.querySelector("details");
        if (!numbers) { missing.push(`no numbers of ${name}`); continue; }
        numbers.open = true;
        await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
        const said = texts(numbers);
        for (const shown of place.querySelectorAll(".textpoint text, .bartext")) {
            const text = shown.textContent.trim();
            if (!text) continue; // no room for it
            const found = said.some((one) => one === text || one.startsWith(`${text},`)); // or masked
            const places = text.split(".")[1]?.length; // fewer than in the table where cells are narrow
            const most = places ? 0.51 * 10 ** -places : 0.006;
            const close = said.some((one) => Math.abs(asNumber(one) - asNumber(text)) <= most);
            if (!found && !close) missing.push(`${text} of ${name}`);
        }
        if (place.closest(".block.plot")) {
            for (const line of place.data) line.y.forEach((y, at) => {
                // Written with three digits or more.
                const isIt = (one) => Math.abs(asNumber(one) - y) <= 5e-3 * Math.abs(y) + 1e-12;
                if (y !== null && !said.some(isIt)) missing.push(`${line.name} at ${line.x[at]}: ${y}`);
            });
        } else {
            if (!numbers.querySelector("caption")?.textContent) missing.push(`no names: ${name}`);
            numbers.open = false;
        }
    }
    for (const place of all(".block.moves")) {
        const said = place.querySelector("ul").textContent;
        for (const { textContent } of place.querySelectorAll(".moving")) {
            if (!said.includes(textContent)) missing.push(`moving ${textContent}`);
        }
    }
    for (const picture of all("canvas.overview")) {
        if (!/\\d/.test(picture.ariaLabel)) missing.push("a picture of a large matrix");
    }
    for (const drawn of all("svg.tensor")) {
        const said = drawn.querySelector("title").textContent;
        for (const one of drawn.querySelectorAll("text")) {
            const sizes = one.textContent.match(/\\d+/g) ?? [];
            if (!sizes.every((size) => said.includes(size))) missing.push(`axis ${one.textContent}`);
        }
    }
    for (const table of all(".block.matrix table")) {
        if (!table.ariaLabel) missing.push("a matrix without a name");
    }
    for (const list of all(".channels")) {
        if (!list.ariaLabel || !list.textContent) missing.push("channels without a name");
    }
    for (const other of all(".qkv-bench :is(svg:not(.tensor), img, canvas:not(.overview))")) {
        // A frame of the filmstrip has a name, and so has a picture that is drawn at once.
        const isSaid = other.closest(".js-plotly-plot, .frame, [role=img][aria-label]");
        if (!isSaid) missing.push(`${other.tagName} without words`);
    }
    return missing;
}"""


def everything_is_said(page):
    missing = page.evaluate(MISSING)
    assert not missing, missing
