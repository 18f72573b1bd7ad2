"""Sphinx's configuration of the documentation site; ``python -m docs.site`` builds it.

Sphinx reads the pages from ``build/docs/source``, where they are collected first.
"""

from datetime import date
from pathlib import Path

import riparian

project = "riparian"
author = "The riparian developers"
copyright = f"{date.today().year}, {author}"
version = release = riparian.__version__

extensions = [
    "myst_nb",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.mathjax",
    "sphinx_copybutton",
    "sphinx_design",
]
source_suffix = {".md": "myst-nb", ".rst": "restructuredtext"}
nitpicky = True
# Names that docstrings refer to, although they are not public.
nitpick_ignore = [
    ("py:func", "n_min"),
    ("py:func", "riparian.show.plot.plot_tree"),
    ("py:meth", "path"),
    ("py:class", "collections.abc.Mapping"),  # an alias of it; it is no name of ours
]

# Public names have their page; types in signatures would only repeat the section "Parameters".
autodoc_typehints = "none"
add_module_names = False
maximum_signature_line_length = 88
toc_object_entries_show_parents = "hide"
numpydoc_show_class_members = False
highlight_language = "none"
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 4

# Every build runs the notebooks; an error in a cell ends it.
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 120
nb_merge_streams = True

# One file that draws formulas as SVG: it needs no font and no network.
mathjax_path = "mathjax/tex-svg.js"
mathjax3_config = {"svg": {"fontCache": "local"}, "options": {"enableMenu": False}}

html_theme = "pydata_sphinx_theme"
html_title = "riparian"
html_static_path = [str(Path(__file__).parent / "static")]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_sidebars = {"index": [], "quickstart": [], "changelog": [], "contributing": []}
html_theme_options = {
    "logo": {"text": "riparian"},
    "header_links_before_dropdown": 8,
    "navbar_align": "left",
    "navigation_with_keys": False,
    "show_prev_next": False,
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
