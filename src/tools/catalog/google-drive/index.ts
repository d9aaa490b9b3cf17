export { googleDriveDownloadFile } from "./google-drive-download-file.ts";
export { googleDriveListFiles } from "./google-drive-list-files.ts";
