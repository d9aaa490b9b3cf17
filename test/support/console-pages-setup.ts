// Before tests in a browser: the console's pages are those of the present sources.
import { buildConsolePages } from "../../scripts/console-pages.ts";

export default async function setup(): Promise<void> {
  await buildConsolePages();
}
