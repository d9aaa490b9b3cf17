import { describe, expect, it } from "vitest";
import { ReadingWork } from "../../../../src/knowledge/readers/reading-work.ts";

describe("ReadingWork", () => {
  it("RW1: ends an expensive reading, and names the bound", () => {
    const work = new ReadingWork("XLSX");
    expect(() => {
      for (;;) work.spend(1_000_000);
    }).toThrow(/the XLSX takes more than 300000000 units of work .* split it up/);
    expect(() => new ReadingWork("HTML").enter(1001)).toThrow(
      /the HTML has elements nested more than 1000 deep/,
    );
  });

  it("RW2: lets others run between pieces of work", async () => {
    const work = new ReadingWork("XLSX");
    let turns = 0;
    const others = setInterval(() => turns++, 0);
    for (let piece = 0; piece < 20; piece++) {
      work.spend(500_000);
      await work.pause();
      await Promise.resolve();
    }
    await new Promise((resolve) => setTimeout(resolve, 2));
    clearInterval(others);
    expect(turns).toBeGreaterThan(0);
  });
});
