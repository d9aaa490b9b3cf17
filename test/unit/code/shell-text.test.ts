import { describe, expect, it } from "vitest";
import { quietPip, shellRefusal } from "../../../src/code/shell-text.ts";
import { computedMs } from "../../support/computed-ms.ts";

describe("refused shell text", () => {
  it.each([
    "rm -rf /",
    "rm -fr ~",
    "sudo rm -r -f /*",
    "rm --recursive --force /",
    'rm -rf "$HOME"',
    "cd /tmp && rm -rf / --no-preserve-root",
    "/bin/rm -Rf /",
    "rm -rf \\\n /",
    "mv data /dev/null",
    "dd if=/dev/zero of=disk.img",
    "echo x > /dev/sda",
    "cat a >/dev/nvme0n1",
    ":(){ :|:& };:",
    "bomb() { bomb | bomb & }; bomb",
  ])("%j (CX28)", (text) => {
    expect(shellRefusal(text)).toBeTypeOf("string");
  });

  it.each([
    "rm -rf build",
    "rm -r /tmp/work",
    "rm -f /tmp/x",
    "mv a b",
    "ls > /dev/null",
    "echo dd",
    "git add .",
    "f() { g | h; }",
  ])("%j is run", (text) => {
    expect(shellRefusal(text)).toBeUndefined();
  });

  it("is scanned in linear time", () => {
    const startMs = computedMs();
    shellRefusal("dd ".repeat(200_000) + "rm ".repeat(100_000) + "\n".repeat(200_000));
    quietPip("\n".repeat(500_000) + "pip install ".repeat(20_000));
    expect(computedMs() - startMs).toBeLessThan(2_000);
  });
});

it("silences pip", () => {
  expect(quietPip("pip install a\npython3 -m pip install b\n! pip install c")).toBe(
    "pip install -qqq a\npython3 -m pip install -qqq b\n! pip install -qqq c",
  );
  expect(quietPip("pip install -q a\npip list\necho pip install")).toBe(
    "pip install -q a\npip list\necho pip install",
  );
});
