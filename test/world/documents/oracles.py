"""Reads documents with other libraries: paths as lines of JSON, texts as lines of JSON."""
import csv
import email
import email.policy
import io
import json
import re
import sys
import zipfile


def encoding_of(path):
    folder = re.search(r"/tests/([^/]+)/", path)
    name = folder.group(1) if folder else "utf-8"
    name = re.sub(r"^((?:windows|iso)-[\d-]*\d)-[a-z]+$", r"\1", name)
    return {"EUC-KR": "cp949", "Big5": "cp950"}.get(name, name)


def decoded(path):
    data = open(path, "rb").read()
    for encoding in (encoding_of(path) if "chardet" in path else "utf-8", "utf-8-sig", "latin-1"):
        try:
            text = data.decode(encoding)
            return text.lstrip("\ufeff")
        except (LookupError, UnicodeDecodeError):
            continue
    return ""


def pdf(path):
    import pypdf

    reader = pypdf.PdfReader(path)
    texts = [page.extract_text() for page in reader.pages]
    for field in (reader.get_fields() or {}).values():
        value = field.get("/V")
        values = value if isinstance(value, list) else [value]
        if field.get("/FT") in ("/Tx", "/Ch"):
            texts += [str(each) for each in values if each is not None]
    return "\n".join(texts)


def docx(path):
    import docx as library

    document = library.Document(path)
    texts = []
    paragraphs = {}
    names = zipfile.ZipFile(path)
    for part in ("word/footnotes.xml", "word/endnotes.xml"):
        if part in names.namelist():
            texts += re.findall(r"<w:t[^>]*>([^<]*)", names.read(part).decode("utf-8"))
    for node in document.element.iter():
        if node.tag.endswith("}t"):
            owner = next(each for each in node.iterancestors() if each.tag.endswith("}p"))
            paragraphs.setdefault(owner, []).append(node.text or "")
    return "\n".join(["".join(each) for each in paragraphs.values()] + texts)


def xlsx(path):
    import openpyxl

    book = openpyxl.load_workbook(path, data_only=True)
    return "\n".join(str(c) for s in book.worksheets for row in s.iter_rows(values_only=True)
                     for c in row if isinstance(c, (str, int)) and not isinstance(c, bool))


def ods(path):
    content = zipfile.ZipFile(path).read("content.xml").decode("utf-8")
    body = content[content.index("<office:body"):]
    return re.sub(r"<[^>]*>", "\n", re.sub(r"<office:annotation.*?</office:annotation>", "", body, flags=re.S))


def html(path):
    from bs4 import BeautifulSoup

    soup = BeautifulSoup(decoded(path), "html.parser")
    gone = "script style template noscript head iframe object canvas svg button select textarea audio video nav dialog"
    for element in soup.find_all(gone.split()):
        element.decompose()
    hidden = soup.find_all(lambda e: e.has_attr("hidden") or e.get("aria-hidden") == "true"
                           or e.get("role") == "navigation"
                           or re.search(r"display\s*:\s*none|visibility\s*:\s*hidden", e.get("style") or ""))
    for element in hidden:
        element.decompose()
    for element in soup.find_all("footer"):
        if not element.find_parent(["main", "article"]):
            element.decompose()
    parts = soup.find_all("main") or [soup]
    return "\n".join(part.get_text("\n") for part in parts)


def xml(path):
    from lxml import etree

    root = etree.parse(path, etree.XMLParser(recover=True)).getroot()
    return "\n".join(root.itertext())


def table(path):
    delimiter = "\t" if path.endswith("tsv") else ","
    return "\n".join("\n".join(row) for row in csv.reader(io.StringIO(decoded(path)), delimiter=delimiter))


def scalars(value):
    if isinstance(value, dict):
        for key, each in value.items():
            yield str(key)
            yield from scalars(each)
    elif isinstance(value, list):
        for each in value:
            yield from scalars(each)
    elif value is not None and not isinstance(value, bool):
        yield str(value)


def structured(path):
    return "\n".join(scalars(json.loads(decoded(path))))


def yaml(path):
    import yaml as library

    return "\n".join(scalars(library.safe_load(decoded(path))))


def notebook(path):
    book = json.loads(decoded(path))
    cells = book.get("cells") or [c for s in book.get("worksheets", []) for c in s["cells"]]
    joined = lambda value: "".join(value) if isinstance(value, list) else value or ""
    return "\n".join(joined(cell.get("source", cell.get("input"))) for cell in cells)


def mail(path):
    message = email.message_from_binary_file(open(path, "rb"), policy=email.policy.default)
    body = message.get_body(("plain", "html"))
    text = body.get_content() if body else ""
    if body is not None and body.get_content_type() == "text/html":
        from bs4 import BeautifulSoup

        text = BeautifulSoup(text, "html.parser").get_text("\n")
    return f"{message['subject'] or ''}\n{text}"


def subtitles(path):
    text = decoded(path)
    return re.sub(r"^\d+\s*$|^.*-->.*$|<[^>]*>", "", text, flags=re.M)


READERS = {"pdf": pdf, "docx": docx, "xlsx": xlsx, "ods": ods, "html": html, "xml": xml, "csv": table,
           "tsv": table, "json": structured, "yaml": yaml, "ipynb": notebook, "eml": mail, "srt": subtitles,
           "txt": decoded, "md": decoded}

for line in sys.stdin:
    request = json.loads(line)
    try:
        answer = {"text": READERS[request["kind"]](request["path"])}
    except Exception as error:  # noqa: BLE001 - an oracle that cannot read a document is reported
        answer = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps({"id": request["id"], **answer}), flush=True)
