// Answers have the shape of Google's documentation (developers.google.com/drive/api/reference/rest/v3/files).
import { expect, it } from "vitest";
import { googleDriveDownloadFile } from "../../../../../src/tools/catalog/google-drive/google-drive-download-file.ts";
import { googleDriveListFiles } from "../../../../../src/tools/catalog/google-drive/google-drive-list-files.ts";
import { callOf } from "../../../../support/tool-world.ts";
import { toolContract } from "../../../../support/tool-contract.suite.ts";

const variables = { GOOGLE_DRIVE_ACCESS_TOKEN: "ya29.0123456789" };
const FILES = {
  files: [
    { id: "f1", name: "Tea", mimeType: "application/vnd.google-apps.document" },
    { id: "f2", name: "menu.pdf", mimeType: "application/pdf", size: "12" },
  ],
};

toolContract(googleDriveListFiles, {
  input: { folder_id: "folder-1", query: "name contains 'tea'" },
  success: [Response.json({ ...FILES, nextPageToken: "n" })],
  requests: [
    {
      method: "GET",
      headers: expect.objectContaining({
        authorization: "Bearer sk-live-0123456789abcdef",
      }) as never,
    },
  ],
  text: "Tea (application/vnd.google-apps.document): f1\nmenu.pdf (application/pdf): f2\nThere are more",
  data: FILES.files,
});

it("lists the files of a folder that match a query", async () => {
  const { requests } = await callOf(
    googleDriveListFiles(),
    { folder_id: "folder-1", query: "name contains 'tea' or name contains 'cup'", page_size: 3 },
    { answers: [Response.json(FILES)], variables },
  );
  const { searchParams } = new URL(requests[0]?.url ?? "");
  expect(searchParams.get("q")).toBe(
    "'folder-1' in parents and (name contains 'tea' or name contains 'cup') and trashed = false",
  );
  expect(searchParams.get("pageSize")).toBe("3");
});

toolContract(googleDriveDownloadFile, {
  input: { file_id: "f2" },
  success: [Response.json(FILES.files[1]), new Response("%PDF-1.7 tea")],
  requests: [
    { path: "/drive/v3/files/f2?fields=id%2Cname%2CmimeType&supportsAllDrives=true" },
    { path: "/drive/v3/files/f2?alt=media&supportsAllDrives=true" },
  ],
  text: "Saved as drive/menu.pdf (application/pdf, 12 bytes).",
  data: { path: "drive/menu.pdf", bytes: 12 },
});

it.each([
  { kind: "document", type: "wordprocessingml.document", path: "drive/Tea.docx" },
  { kind: "spreadsheet", type: "text/csv", path: "drive/Tea.csv" },
  { kind: "document", mime: "application/pdf", type: "application/pdf", path: "drive/Tea.pdf" },
])("saves a Google $kind as $path", async ({ kind, mime, type, path }) => {
  const file = { id: "f1", name: "Tea", mimeType: `application/vnd.google-apps.${kind}` };
  const { requests, extras, files } = await callOf(
    googleDriveDownloadFile(),
    { file_id: "f1", ...(mime === undefined ? undefined : { mime }) },
    { answers: [Response.json(file), new Response("tea")], variables },
  );
  const { pathname, searchParams } = new URL(requests[1]?.url ?? "");
  expect(pathname).toBe("/drive/v3/files/f1/export");
  expect(searchParams.get("mimeType")).toContain(type);
  expect(extras.files?.[0]?.path).toBe(path);
  expect(files.paths[0]).toMatch(new RegExp(`${path}$`));
});

it("cleans names, and reports documents without a file", async () => {
  const odd = { id: "f3", name: "../a/b: c?.pdf", mimeType: "application/pdf" };
  const { extras } = await callOf(
    googleDriveDownloadFile({ folder: "papers" }),
    { file_id: "f3" },
    { answers: [Response.json(odd), new Response("x")], variables },
  );
  expect(extras.files?.[0]?.path).toBe("papers/.._a_b_ c_.pdf");
  const form = { id: "f4", name: "Questions", mimeType: "application/vnd.google-apps.form" };
  const { failure } = await callOf(
    googleDriveDownloadFile(),
    { file_id: "f4" },
    { answers: [Response.json(form)], variables },
  );
  expect(failure?.message).toBe("Questions is a form, which cannot be saved as a file.");
});
