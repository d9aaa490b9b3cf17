// Mails as text.
import { describe, expect, it } from "vitest";
import { mailboxReader, mailReader } from "../../../../src/knowledge/readers/mail-reader.ts";

const limits = { maxCharacters: 100_000 };
const read = (lines: readonly string[], reader = mailReader) =>
  reader.read(new Uint8Array(Buffer.from(lines.join("\r\n"), "latin1")), limits);

describe("a mail", () => {
  it("is its subject, people, date and text", async () => {
    const { text, format } = await read([
      "From: =?utf-8?q?K=C3=BCche?= <a@example.com>",
      "To: b@example.com,",
      " c@example.com",
      "Subject: =?utf-8?b?R3LDvMM=?= =?utf-8?b?n2U=?=",
      "Date: Mon, 1 Jan 2026 10:00:00 +0000",
      "Content-Type: text/plain; charset=iso-8859-1",
      "Content-Transfer-Encoding: quoted-printable",
      "",
      "Sch=F6n=",
      "e Gr=FC=DFe",
      "--",
      "Ada",
    ]);
    expect(text).toBe(
      "# Grüße\n\nFrom: Küche <a@example.com>\nTo: b@example.com, c@example.com\nDate: Mon, 1 Jan 2026 10:00:00 +0000\n\nSchöne Grüße\n--\nAda",
    );
    expect(format).toBe("markdown");
  });

  it("has one of its forms, and reads attached files by their readers", async () => {
    const { text, losses } = await read([
      "Subject: Prices",
      'Content-Type: multipart/mixed; boundary="outer"',
      "",
      "not shown",
      "--outer",
      "Content-Type: multipart/alternative; boundary=inner",
      "",
      "--inner",
      "Content-Type: text/html",
      "",
      "<p>Seen as a <b>page</b>",
      "--inner--",
      "--outer",
      "Content-Type: application/octet-stream",
      "Content-Disposition: attachment; filename*0*=utf-8''pr%C3%A9is; filename*1=.csv",
      "Content-Transfer-Encoding: base64",
      "",
      Buffer.from("sku,price\n007,4.50\n").toString("base64"),
      "--outer",
      'Content-Type: image/png; name="logo.png"',
      "Content-Transfer-Encoding: base64",
      "",
      "iVBORw0=",
      "--outer",
      "Content-Disposition: attachment; filename=broken.xlsx",
      "",
      "PK",
      "--outer",
      "Content-Type: message/rfc822",
      "",
      "Subject: Below",
      "",
      "An older mail",
      "--outer--",
    ]);
    expect(text).toBe(
      "# Prices\n\nSeen as a page\n\n## préis.csv\n\nsku | price\nsku: 007 | price: 4.50\n\n## Below\n\nAn older mail",
    );
    expect(losses).toMatchObject([
      { kind: "picture", count: 1, detail: expect.stringContaining("logo.png") },
      { kind: "embedded_file", count: 1, detail: expect.stringContaining("broken.xlsx") },
    ]);
  });

  it("reports parts beyond the limits", async () => {
    const part = ["--b", "", "x"];
    const { losses } = await read([
      "Content-Type: multipart/mixed; boundary=b",
      "",
      ...Array.from({ length: 1200 }, () => part).flat(),
      "--b--",
    ]);
    expect(losses).toMatchObject([{ kind: "embedded_file", count: 201 }]);
  });

  it("is refused without headers", async () => {
    await expect(read(["", "hello"])).rejects.toThrow(/is no mail/);
  });
});

it("a mailbox is its mails", async () => {
  const lines = [
    "From a@b Mon Jan 1",
    "Subject: One",
    "",
    "first",
    ">From here",
    "",
    "From c@d Tue",
    "Subject: Two",
    "",
    "second",
  ];
  expect((await read(lines, mailboxReader)).text).toBe(
    "# One\n\nfirst\nFrom here\n\n# Two\n\nsecond",
  );
  await expect(read(["Subject: x", "", "y"], mailboxReader)).rejects.toThrow(/is no mailbox/);
});
