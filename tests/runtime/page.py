# SPDX-License-Identifier: MIT
"""page.py: look at the pages that page.sh made; nothing, if all is well."""

import sys

from browser import Page

# What the table has on the screen, a line a row; a tab between cells.
ROWS = """[...document.querySelectorAll('#table tr.row')].map(row =>
  [...row.cells].map(cell => cell.textContent).join('\\t')).join('\\n')"""
FIELDS = """[...document.querySelectorAll('#map button')]
  .map(field => field.getAttribute('aria-label')).join('\\n').replaceAll('\\u00a0', ' ')"""
FOCUS = """(one => one.getAttribute('aria-label') || one.textContent)
  (document.activeElement).replaceAll('\\u00a0', ' ')"""


def same(what, wanted, got):
    if wanted != got:
        sys.exit(f"{what}: wanted\n{wanted}\ngot\n{got}")


def click(page, selector):
    page.says(f"document.querySelector({selector!r}).click()")


def pick(page, number, value):
    page.says(f"""{{ const list = document.querySelectorAll('#choice select')[{number}];
      list.value = {value!r}; list.dispatchEvent(new Event('change')); }}""")


def quiet(page, name):
    same(name + ": errors", [], page.errors)
    same(name + ": requests", 1, len(page.asked))


def small():
    with Page("heap.html") as page:
        same("title", "main: heap by type", page.says("document.title"))
        typed = [row for row in page.says(ROWS).split("\n") if "untyped" not in row]
        same("rows", ["▸struct first\t4\t32\t2\t16\t2",
                      "▸struct second\t1\t16\t1\t16\t1"], typed)

        # Less the first snapshot: what came, and what went.
        pick(page, 1, "0")
        click(page, "#measure input[value=live_bytes]")
        same("difference", ["▸struct second\t+1\t+16\t+1\t+16\t1",
                            "▸struct first\t0\t0\t−2\t−16\t1"],
             page.says(ROWS).split("\n"))
        same("fields", "struct first, −16 B\nstruct second, +16 B",
             "\n".join(sorted(page.says(FIELDS).split("\n"))))
        more, less = page.says("""['struct second', 'struct first'].map(name =>
          getComputedStyle([...document.querySelectorAll('#map button')].find(one =>
            one.textContent.startsWith(name))).backgroundColor)""")
        if more == less:
            sys.exit(f"what grew and what shrank are both {more}")
        # The other way round all signs are turned.
        pick(page, 0, "0")
        pick(page, 1, "1")
        same("backwards", ["▸struct first\t0\t0\t+2\t+16\t1",
                           "▸struct second\t−1\t−16\t−1\t−16\t1"],
             page.says(ROWS).split("\n"))
        quiet(page, "small")


def keys():
    with Page("heap.html") as page:
        pick(page, 1, "0")
        pick(page, 1, "-1")
        page.press("/")
        same("/", "filter", page.says("document.activeElement.id"))
        for key in "struct":
            page.press(key)
        same("filter", 2, page.says("document.querySelectorAll('#table tr.row').length"))
        same("count", "2 rows", page.says("document.querySelector('#count').textContent"))
        # Into the map by keys alone: the larger type first, its two sites inside.
        page.says("document.querySelector('#measure input:checked').focus()")
        page.press("Tab")
        same("tab", "struct first, 32 B", page.says(FOCUS))
        page.press("Enter")
        same("inside", "main.c:6  here → malloc, 24 B\nmain.c:9  main → malloc, 8 B",
             page.says(FIELDS))
        same("focus inside", "main.c:6  here → malloc, 24 B", page.says(FOCUS))
        page.press("Escape")
        same("outside", True, "struct second, 16 B" in page.says(FIELDS))
        page.says("document.querySelector('#map button').focus()")
        page.press("ArrowRight", "ArrowRight", "ArrowRight")
        right = page.says(FOCUS)
        same("the rightmost", "struct second, 16 B", right)
        page.press("Enter")
        same("in the table", "▸struct second\t1\t16\t1\t16\t1", page.says(
            "[...document.activeElement.cells].map(c => c.textContent).join('\\t')"))
        page.press("ArrowUp", "ArrowRight", "ArrowDown")
        same("a site", ["main.c:6  here → malloc", "2"], page.says(
            "[document.activeElement.cells[0].textContent, "
            "document.activeElement.getAttribute('aria-level')]"))
        page.press("ArrowLeft", "ArrowLeft")
        same("closed again", "false", page.says(
            "document.activeElement.getAttribute('aria-expanded')"))
        # Sorted by name, by Enter on the head.
        page.says("document.querySelector('#table th button').focus()")
        page.press("Enter")
        same("ascending", "ascending", page.says(
            "document.querySelector('#table th').getAttribute('aria-sort')"))
        page.press("Enter")
        same("first by name, falling", "▸struct second", page.says(
            "document.querySelector('#table tr.row td').textContent"))
        # All that can be operated has a name.
        nameless = [node for node in page.ask("Accessibility.getFullAXTree")["nodes"]
                    if node.get("role", {}).get("value") in
                    ("button", "combobox", "radio", "searchbox", "treegrid")
                    and not node.get("name", {}).get("value")]
        same("nameless", [], nameless)
        quiet(page, "keys")


# The least contrast of a text to what is behind it, as WCAG has it, in the body
# and in the fields of the map.
CONTRAST = """(() => {
  const light = colour => {
    const pen = new OffscreenCanvas(1, 1).getContext('2d');
    pen.fillStyle = colour;
    pen.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...pen.getImageData(0, 0, 1, 1).data].map(c => c / 255)
      .map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
  };
  const all = [document.body, ...[...document.querySelectorAll('#map button')].slice(0, 60)];
  return Math.min(...all.map(one => {
    const style = getComputedStyle(one);
    const [x, y] = [light(style.color), light(style.backgroundColor)];
    return Math.max(x, y) / Math.min(x, y);
  }));
})()"""


def looks():
    pages = []
    for dark in (False, True):
        with Page("many.html", dark=dark) as page:
            pages.append(page.says("getComputedStyle(document.body).backgroundColor"))
            contrast = page.says(CONTRAST)
            if contrast < 4.5:
                sys.exit(f"dark {dark}: contrast {contrast}")
    same("two looks", 2, len(set(pages)))


# Some work of a browser that has nothing to do with ours: 20,000 rows of a table,
# laid out.  What the page takes is measured by it, on any machine.
WORK = """(() => {
  const table = document.createElement('table');
  for (let i = 0; i < 20000; i++)
    table.insertRow().insertCell().textContent = String(i);
  document.body.append(table);
  const height = table.offsetHeight;
  table.remove();
  return height > 0;
})()"""


def many():
    with Page("heap.html") as page:
        before = page.took()
        same("work", True, page.says(WORK))
        unit = page.took() - before
    with Page("many.html") as page:
        if not 0 < page.took() < 5 * unit:
            sys.exit(f"10,000 rows took {page.took()} s, the work {unit} s")
        same("rows", "10,000 rows", page.says("document.querySelector('#count').textContent"))
        same("rowcount", "10001", page.says(
            "document.querySelector('#table').getAttribute('aria-rowcount')"))
        if page.says("document.querySelectorAll('*').length") > 3000:
            sys.exit("all rows are in the page")
        page.says("document.querySelector('#table tr.row').focus()")
        page.press("End")
        same("last", "▸struct t00000\t1\t16\t1\t16\t2", page.says(
            "[...document.activeElement.cells].map(c => c.textContent).join('\\t')"))
        start = page.took()
        click(page, "#by input[value=site]")
        same("sites", "20,000 sites", page.says("document.querySelector('#count').textContent"))
        page.says("document.querySelector('#filter').value = 't04711'; "
                  "document.querySelector('#filter').dispatchEvent(new Event('input'))")
        same("one of them", ["many.c:9423  main → malloc", "many.c:9424  main → malloc"],
             [row.split("\t")[0] for row in page.says(ROWS).split("\n")])
        if page.took() - start > 4 * unit:
            sys.exit(f"two views took {page.took() - start} s, the work {unit} s")
        quiet(page, "many")


def hostile():
    with Page("hostile.html") as page:
        same("caught", None, page.says("window.caught"))
        names = page.says(ROWS.replace("row.cells", "row.cells[0].children").replace(
            "cell.textContent).join('\\t')", "cell.textContent).pop()"))
        same("names", ["a type without a name", "__proto__", "struct ?evil???type",
                       "</title></style><svg onload=window.caught=5>",
                       "${window.caught = 4}`",
                       "' onfocus='window.caught = 3' autofocus='",
                       "<!--<script>",
                       "\"><img src=x onerror='window.caught = 2'>",
                       "</script><script>window.caught = 1</script>"],
             names.split("\n"))
        for way in ("#by input[value=site]", "#map button", "#table tr.row td"):
            click(page, way)
        page.press("Tab", "Tab", "ArrowRight", "Enter")
        same("caught later", None, page.says("window.caught"))
        same("markup", 0, page.says("document.querySelectorAll('img, svg, [onfocus]').length"))
        quiet(page, "hostile")
    with Page("unescaped.html") as page:
        if not page.errors and not page.says("window.caught"):
            sys.exit("unescaped names do no harm: nothing is tested here")


small()
keys()
looks()
many()
hostile()
