import type { CatalogVariable } from "../base/entry.ts";

export const DRIVE_TOKEN = {
  name: "GOOGLE_DRIVE_ACCESS_TOKEN",
  description: "an OAuth access token for Google Drive, with the scope drive.readonly",
  send: { header: "Authorization", prefix: "Bearer " },
  option: "accessToken",
} as const satisfies CatalogVariable;

export const DRIVE = "https://www.googleapis.com/drive/v3/files";
export const DRIVE_HOSTS = ["www.googleapis.com"];
