"""Hooks of the site's build (mkdocs.yml): folders in the navigation, links that leave docs, and the Javadoc if it was built."""
import os
import pathlib
import re

from mkdocs.structure.files import File

LINK = re.compile(r"(?<!!)\[([^\]\[]+)\]\(([^()\s#]+)(?:#[^()\s]*)?\)")
JAVADOC = "target/reports/apidocs"


def on_config(config):
    config.nav = listed(config.nav, pathlib.Path(config.docs_dir))
    return config


def listed(entry, docs):
    """The navigation with a list of pages in the place of each folder."""
    if isinstance(entry, list):
        return [listed(item, docs) for item in entry]
    if isinstance(entry, dict):
        return {title: listed(item, docs) for title, item in entry.items()}
    if entry.endswith("/"):
        pages = sorted(docs.joinpath(entry).glob("*.md"), key=lambda page: (page.name != "README.md", page.name))
        return [page.relative_to(docs).as_posix() for page in pages]
    return entry


def on_files(files, config):
    home = pathlib.Path(config.config_file_path).parent
    for folder in home.glob("*/" + JAVADOC):
        if (folder / "index.html").exists():
            module = folder.relative_to(home).parts[0]
            for source in folder.rglob("*"):
                if source.is_file():
                    name = f"reference/api/{module}/{source.relative_to(folder).as_posix()}"
                    files.append(File.generated(config, name, abs_src_path=str(source)))
    return files


def on_page_markdown(markdown, page, config, files):
    """The repository's files out of docs have no page on the site: the text of such a link stays, and names the file."""
    docs = pathlib.Path(config.docs_dir).resolve()
    folder = (docs / page.file.src_uri).parent

    def replaced(match):
        text, target = match.groups()
        path = (folder / target).resolve()
        if re.match(r"[a-z]+:", target) or not path.exists():
            return match.group(0)
        if docs not in path.parents:
            name = path.relative_to(docs.parent).as_posix()
            return f"`{name}`" if text in name else f"{text} (`{name}`)"
        if path.is_dir():
            first = path / "README.md" if (path / "README.md").exists() else min(path.glob("*.md"))
            return f"[{text}]({os.path.relpath(first, folder)})"
        return match.group(0)

    if page.file.src_uri == "reference/api.md":
        modules = [file.src_uri.split("/")[2] for file in files if re.fullmatch("reference/api/[^/]+/index.html", file.src_uri)]
        markdown += "\n" + "".join(f"- [{module}](api/{module}/index.html)\n" for module in sorted(modules))
    return LINK.sub(replaced, markdown)
