"""What a translation must keep of a file, as a list of lists and counters that can be compared."""
import collections
import html.parser
import io
import json
import re
import xml.etree.ElementTree as xml
import zipfile

from files import decoded

LETTER = re.compile(r"[^\W\d_]")
PLACEHOLDER = re.compile(r"\{\{?[\w.: ]*\}?\}|%(?:\d+\$)?[-+ #0]*\d*(?:\.\d+)?[sdiuxfcL@]|%\{\w+\}|"
                         r"\$\w+\$|%\w+%|</?\w[^<>]*>")
# HTML: elements that move with their words, those whose text stays, and attributes with text.
INLINE = set("a abbr acronym b bdi bdo big cite data del dfn em font i ins label mark nobr q s "
             "small span strike strong sub sup time tt u".split())
CODE = {"code", "kbd", "samp", "tt", "var"}
SINGLE = {"img", "br", "wbr", "input", "button"}  # inside of a text, without one
RAW = {"script", "style", "textarea"}
TEXTS = set("title alt placeholder label summary value content aria-label aria-description "
            "aria-placeholder aria-roledescription aria-valuetext".split())
LANGUAGE = {"lang", "xml:lang", "dir", "charset"}


def placeholders(text):
    return collections.Counter(PLACEHOLDER.findall(text))


def kept_attributes(attributes):
    return tuple(sorted((name, "" if name in TEXTS else value or "") for name, value in attributes
                        if name not in LANGUAGE))


class Page:
    """Blocks in order, what is inside of them by number, and code."""

    def __init__(self):
        self.blocks, self.inside, self.code = [], collections.Counter(), collections.Counter()
        self.is_empty = True
        self.coded = []  # open elements of code, with their text
        self.raw = None

    def start(self, tag, attributes):
        attributes = kept_attributes(attributes)
        if tag in RAW:
            self.raw = tag
        if tag in CODE:
            self.coded.append([tag, ""])
        if tag in INLINE | CODE | SINGLE:
            self.inside[tag, attributes] += 1
        else:
            self.blocks.append((tag, attributes))
            self.is_empty, self.coded = True, []

    def end(self, tag):
        if tag == self.raw:
            self.raw = None
        if tag in CODE and self.coded and self.coded[-1][0] == tag:
            self.code[self.coded.pop()[1].strip()] += 1
        if tag not in INLINE | CODE | SINGLE:
            self.blocks.append((f"/{tag}", ()))
            self.is_empty = True

    def text(self, text):
        if self.raw:
            self.blocks.append((self.raw, text))
        elif self.coded:
            for code in self.coded:
                code[1] += text
        elif self.is_empty and LETTER.search(text):
            self.blocks.append(("text", ()))
            self.is_empty = False

    def comment(self, text):
        self.blocks.append(("comment", text))

    def structure(self):
        return [self.blocks, self.inside, self.code]


class PageParser(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.page = Page()

    def handle_starttag(self, tag, attrs):
        self.page.start(tag, attrs)

    def handle_endtag(self, tag):
        self.page.end(tag)

    def handle_data(self, data):
        self.page.text(data)

    def handle_comment(self, data):
        self.page.comment(data)

    def handle_decl(self, decl):
        self.page.comment(decl)


def of_html(data):
    parser = PageParser()
    parser.feed(decoded(data))
    parser.close()
    return parser.page.structure()


def of_xhtml(data):
    """As XML, in which <script/> is whole."""
    page = Page()

    def add(element):
        if not isinstance(element.tag, str):
            return page.comment(element.text)
        page.start(local(element.tag), [(local(key), value) for key, value in element.items()])
        page.text(element.text or "")
        for child in element:
            add(child)
            page.text(child.tail or "")
        return page.end(local(element.tag))

    add(parsed(data))
    return page.structure()


def of_dom(data):
    """As browsers read a page; None without html5lib."""
    try:
        import html5lib
    except ImportError:
        return None
    page = Page()
    tree = html5lib.parse(decoded(data), "dom")
    for token in html5lib.getTreeWalker("dom")(tree):
        kind = token["type"]
        if kind in ("StartTag", "EmptyTag"):
            page.start(token["name"], [(name[1], value) for name, value in token["data"].items()])
        elif kind == "EndTag":
            page.end(token["name"])
        elif kind in ("Characters", "SpaceCharacters"):
            page.text(token["data"])
        elif kind == "Comment":
            page.comment(token["data"])
    return page.structure()


def of_markdown(data):
    """Blocks in order, spans by number; None without markdown-it-py."""
    try:
        from markdown_it import MarkdownIt
    except ImportError:
        return None
    blocks, spans = [], collections.Counter()
    for token in MarkdownIt("gfm-like", {"linkify": False}).parse(decoded(data)):
        if token.type == "inline":
            for child in token.children:
                if child.type not in ("text", "softbreak"):
                    spans[child.type, str(child.attrs.get("href", child.attrs.get("src", ""))),
                          child.content if child.type == "code_inline" else ""] += 1
        else:
            blocks.append((token.type, token.tag, token.info,
                           token.content if token.type in ("fence", "code_block") else ""))
    return [blocks, spans]


PLURAL = re.compile(r"(?:^|_)(zero|one|two|few|many|other)$")


def leaves(value, path=()):
    """Paths of values with their types; what a string must keep, or the value itself. Forms of a
    plural come and go with the language."""
    if isinstance(value, dict):
        for key, one in value.items():
            if not (isinstance(key, str) and PLURAL.search(key)):
                yield from leaves(one, (*path, key))
    elif isinstance(value, list):
        for at, one in enumerate(value):
            yield from leaves(one, (*path, at))
    elif isinstance(value, str):
        yield path, "text", sorted(placeholders(value).items()), bool(LETTER.search(value))
    else:
        yield path, type(value).__name__, value


def of_json(data):
    text = re.sub(r"^\s*//.*$", "", decoded(data), flags=re.M)
    return [[leaf for leaf in leaves(json.loads(text)) if leaf[0] != ("@@locale",)]]


def of_yaml(data):
    """None without PyYAML. A file with one key may have the language in it."""
    try:
        import yaml
    except ImportError:
        return None
    found = []
    for document in yaml.safe_load_all(decoded(data)):
        if isinstance(document, dict) and len(document) == 1 and re.fullmatch(
                r"[a-z]{2}(-[A-Z]+)?", str(next(iter(document)))):
            document = next(iter(document.values()))
        found += leaves(document)
    return [found]


def of_properties(data):
    """None without javaproperties."""
    try:
        import javaproperties
    except ImportError:
        return None
    text = decoded(data)
    values = [(key, sorted(placeholders(value).items()), bool(LETTER.search(value)))
              for key, value in javaproperties.loads(text, list)]
    return [values, re.findall(r"^\s*[#!].*$", text, re.M)]


def of_strings(data):
    text = re.sub(r"/\*.*?\*/", "", decoded(data), flags=re.S)
    pairs = re.findall(r'("(?:[^"\\]|\\.)*"|\w+)\s*=\s*"((?:[^"\\]|\\.)*)"\s*;', text)
    return [[(key, sorted(placeholders(value).items()), bool(value)) for key, value in pairs]]


def local(name):
    return name.rpartition("}")[2]


def parsed(data):
    return xml.fromstring(data, xml.XMLParser(target=xml.TreeBuilder(insert_comments=True)))


def of_xml(data, free=(), drop=()):
    """Elements with their attributes, without the elements in `drop` and their contents, and without
    the attributes in `free`."""
    elements, texts = [], []

    def add(element):
        if not isinstance(element.tag, str):
            elements.append(("comment", element.text))
            return
        name = local(element.tag)
        if name in drop or element.get("quantity"):
            return
        elements.append((name, sorted((local(key), value) for key, value in element.attrib.items()
                                      if local(key) not in free)))
        if element.text and LETTER.search(element.text):
            texts.append((name, sorted(placeholders(element.text).items())))
        for child in element:
            add(child)

    add(parsed(data))
    return [elements, texts]


def of_units(data, language):
    """XLIFF and TMX: everything but what was translated, and each new target's codes."""
    root = parsed(data)
    free = {"state", "state-qualifier", "target-language", "trgLang", "subState", "approved"}
    kept = of_xml(data, free, {"target"})
    if local(root.tag) != "tmx":
        return kept
    units = []
    for unit in root.iter("tu"):
        variants = [(value.get("{http://www.w3.org/XML/1998/namespace}lang") or value.get("lang"),
                     xml.tostring(value)) for value in unit.iter("tuv")]
        units.append([one for one in variants if not str(one[0]).lower().startswith(language)])
    return [units, [xml.tostring(one) for one in root.iter("header")]]


def code_faults(data):
    """Targets of XLIFF whose codes are not those of their source."""
    faults = []
    for unit in (one for one in parsed(data).iter()
                 if isinstance(one.tag, str) and local(one.tag) in ("trans-unit", "segment")):
        both = [collections.Counter((local(inner.tag), inner.get("id"), inner.get("rid"))
                                    for inner in one.iter()
                                    if inner is not one and isinstance(inner.tag, str))
                for one in unit if isinstance(one.tag, str)
                and local(one.tag) in ("source", "target")]
        if len(both) == 2 and both[0] != both[1]:
            faults.append(unit.get("id"))
    return faults


def of_book(data):
    """Parts of an EPUB in order, the bytes of those without text, the structure of the others."""
    kept = [[], []]
    with zipfile.ZipFile(io.BytesIO(data)) as book:
        for name in book.namelist():
            kept[0].append(name)
            part = book.read(name)
            if re.search(r"\.(x?html?)$", name):
                kept += of_xhtml(part)
            elif re.search(r"\.(opf|ncx)$", name):
                kept += of_xml(part, {"lang", "dir"})[:1]
            else:
                kept[1].append((name, hash(part)))
    return kept

