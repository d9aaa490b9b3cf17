// Public documents, by repository: `path` and the language of the text.
import { repository } from "../needs/repository.ts";

type Source = {
  readonly address: string;
  readonly commit: string;
  readonly documents: Readonly<Record<string, string>>;
};

export const SOURCES: Readonly<Record<string, Source>> = {
  "py-pdf/sample-files": {
    address: "https://github.com/py-pdf/sample-files.git",
    commit: "6921079eb3e1ed0944db5ec75016910d59da7fdb",
    documents: {
      "002-trivial-libre-office-writer/002-trivial-libre-office-writer.pdf": "en",
      "004-pdflatex-4-pages/pdflatex-4-pages.pdf": "en",
      "006-pdflatex-outline/pdflatex-outline.pdf": "en",
      "009-pdflatex-geotopo/GeoTopo-komprimiert.pdf": "de",
      "010-pdflatex-forms/pdflatex-forms.pdf": "en",
      "011-google-doc-document/google-doc-document.pdf": "en",
      "012-libreoffice-form/libreoffice-form.pdf": "en",
      "014-outlines/mistitled_outlines_example.pdf": "en",
      "015-arabic/habibi.pdf": "ar",
      "021-pdfa/crazyones-pdfa.pdf": "en",
      "022-pdfkit/pdfkit.pdf": "en",
      "025-attachment/with-attachment.pdf": "en",
      "026-latex-multicolumn/multicolumn.pdf": "en",
    },
  },
  "jsvine/pdfplumber": {
    address: "https://github.com/jsvine/pdfplumber.git",
    commit: "147f2c4c07dc1191fc1d05bb589b4f6af3aaf74a",
    documents: {
      "tests/pdfs/2023-06-20-PV.pdf": "fr",
      "tests/pdfs/WARN-Report-for-7-1-2015-to-03-25-2016.pdf": "en",
      "tests/pdfs/nics-background-checks-2015-11.pdf": "en",
      "examples/pdfs/san-jose-pd-firearm-sample.pdf": "en",
      "tests/pdfs/federal-register-2020-17221.pdf": "en",
      "tests/pdfs/pdffill-demo.pdf": "en",
      "tests/pdfs/word365_structure.pdf": "en",
      "tests/pdfs/issue-33-lorem-ipsum.pdf": "la",
      "tests/pdfs/scotus-transcript-p1.pdf": "en",
      "tests/pdfs/senate-expenditures.pdf": "en",
    },
  },
  "mozilla/pdf.js": {
    address: "https://github.com/mozilla/pdf.js.git",
    commit: "0f26334f9d6f96119f6e5164fb65832fbbde7344",
    documents: {
      "test/pdfs/ArabicCIDTrueType.pdf": "ar",
      "test/pdfs/ThuluthFeatures.pdf": "ar",
      "test/pdfs/SimFang-variant.pdf": "zh",
      "test/pdfs/90ms_rksj_h_sample.pdf": "ja",
      "test/pdfs/french_diacritics.pdf": "fr",
      "test/pdfs/german-umlaut-r.pdf": "de",
      "test/pdfs/TAMReview.pdf": "en",
      "test/pdfs/annotation-text-widget.pdf": "en",
      "test/pdfs/annotation-choice-widget.pdf": "en",
      "test/pdfs/annotation-freetext.pdf": "en",
      "test/pdfs/copy_paste_ligatures.pdf": "en",
    },
  },
  "python-openxml/python-docx": {
    address: "https://github.com/python-openxml/python-docx.git",
    commit: "e45454602b53e8e572b179ccf1c91093ec9f4ed7",
    documents: {
      "features/steps/test_files/blk-paras-and-tables.docx": "en",
      "features/steps/test_files/comments-rich-para.docx": "en",
      "features/steps/test_files/hdr-header-footer.docx": "en",
      "features/steps/test_files/num-having-numbering-part.docx": "en",
      "features/steps/test_files/par-hyperlinks.docx": "en",
      "features/steps/test_files/tbl-cell-access.docx": "en",
      "features/steps/test_files/tbl-having-tables.docx": "en",
      "tests/test_files/having-images.docx": "en",
      "tests/test_files/test.docx": "en",
    },
  },
  "mwilliamson/mammoth.js": {
    address: "https://github.com/mwilliamson/mammoth.js.git",
    commit: "e3b9cecdaa3df0d9007ed7b06add53c65516e429",
    documents: {
      "test/test-data/comments.docx": "en",
      "test/test-data/endnotes.docx": "en",
      "test/test-data/footnotes.docx": "en",
      "test/test-data/simple-list.docx": "en",
      "test/test-data/tables.docx": "en",
      "test/test-data/text-box.docx": "en",
      "test/test-data/tiny-picture.docx": "en",
    },
  },
  "SheetJS/test_files": {
    address: "https://github.com/SheetJS/test_files.git",
    commit: "fb4bdf0158ba308c182f82663b61607bb79cd4b5",
    documents: {
      "Attendance.xlsx": "en",
      "ErrorTypes.xlsx": "en",
      "formula_stress_test.xlsx": "en",
      "author_snowman.xlsx": "en",
      "LONumbers-2011.xlsx": "en",
      "outline.ods": "en",
      "sushi.ods": "en",
      "numbers/types_61.tsv": "en",
      "2011/AutoFilter.xls.0.csv": "en",
    },
  },
  "mholt/PapaParse": {
    address: "https://github.com/mholt/PapaParse.git",
    commit: "a51bdc77cbd12cbfd7bc42d1379d0518338beb4d",
    documents: {
      "docs/resources/files/normal.csv": "en",
      "tests/long-sample.csv": "en",
      "tests/utf-8-bom-sample.csv": "en",
      "package.json": "en",
    },
  },
  "jupyter/nbformat": {
    address: "https://github.com/jupyter/nbformat.git",
    commit: "75f819f5b60bc6ffc72145c364132efe5b3c4b35",
    documents: {
      "tests/test2.ipynb": "en",
      "tests/test3.ipynb": "en",
      "tests/many_tracebacks.ipynb": "en",
      "nbformat/v4/nbformat.v4.5.schema.json": "en",
      ".pre-commit-config.yaml": "en",
      "CHANGELOG.md": "en",
    },
  },
  "nodemailer/mailparser": {
    address: "https://github.com/nodemailer/mailparser.git",
    commit: "bb1881eb35c0d406c68c8613443827ccbad00065",
    documents: {
      "examples/simple.eml": "en",
      "test/fixtures/mixed.eml": "en",
      "test/fixtures/nested.eml": "en",
      "test/fixtures/spam.eml": "en",
    },
  },
  "chardet/chardet": {
    address: "https://github.com/chardet/chardet.git",
    commit: "1355907628bff3148cc81ec77093b41d922436a7",
    documents: {
      "tests/utf-8/_ude_he1.txt": "he",
      "tests/utf-8/_ude_greek.txt": "el",
      "tests/utf-8/_ude_russian.txt": "ru",
      "tests/utf-8/_chromium_UTF-8_with_no_encoding_specified.html": "zh",
      "tests/EUC-JP/_mozilla_bug426271_text-euc-jp.html": "ja",
      "tests/EUC-KR/_chromium_windows-949_with_no_encoding_specified.html": "ko",
      "tests/windows-1255-hebrew/_chromium_windows-1255_with_no_encoding_specified.html": "he",
      "tests/windows-1256-arabic/_chromium_windows-1256_with_no_encoding_specified.html": "ar",
      "tests/UTF-16/bom-utf-16-le.srt": "en",
      "tests/utf-8-sig/bom-utf-8.srt": "en",
      "tests/Big5/0804.blogspot.com.xml": "zh",
    },
  },
  "adbar/trafilatura": {
    address: "https://github.com/adbar/trafilatura.git",
    commit: "e90b0ef51ab026fdb905fb6c5b3c84dd3d784fd5",
    documents: {
      "tests/eval/regards.fr.enquetes.html": "fr",
      "tests/eval/prensalibre.com-tendencia.html": "es",
      "tests/eval/helmholtz-klima.de.kipppunkt.html": "de",
      "tests/eval/haufe.de-ordnungsgeld.html": "de",
      "tests/cache/creativecommons.at.faircoin.html": "de",
      "tests/eval/cducsu.de-wasserstoff.html": "de",
    },
  },
};

/** The repositories, each a need of its own. */
export const REPOSITORIES = Object.fromEntries(
  Object.entries(SOURCES).map(([name, { address, commit }]) => [
    name,
    repository({
      name: `documents-${name.replaceAll(/[^A-Za-z0-9]+/g, "-").toLowerCase()}`,
      what: `documents of ${name}`,
      address,
      commit,
      variable: `EDGECREW_${name.replaceAll(/[^A-Za-z0-9]+/g, "_").toUpperCase()}`,
      seconds: 60,
      megabytes: 300,
    }),
  ]),
);
