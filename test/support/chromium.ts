import { existsSync } from "node:fs";
import { chromium, type Browser } from "playwright-core";

const PLACES = [
  process.env["CHROMIUM_PATH"] ?? "",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** Where Chromium is. Undefined, with a word, where a developer has none; throws in CI. */
export function chromiumPath(): string | undefined {
  const path = PLACES.find((each) => each !== "" && existsSync(each));
  if (path !== undefined) return path;
  const advice = "no Chromium here: apt-get install chromium, or CHROMIUM_PATH";
  if (process.env["CI"]) throw new Error(advice);
  process.stderr.write(`tests in a browser are skipped: ${advice}\n`);
  return undefined;
}

/** A headless browser. Chromium refuses its sandbox to root, which is who runs in containers. */
export function launchChromium(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, args: ["--no-sandbox"] });
}
