import { DocumentLosses } from "../document-losses.ts";
import type { DocumentReader } from "../document-text.ts";
import { TextBuilder } from "../text-builder.ts";
import { decodeText } from "./decode-text.ts";
import { ReadingWork } from "./reading-work.ts";

const TIMES = /^\s*((?:\d+:)?\d{1,2}:\d{2})[.,]\d{1,3}\s*-->/;

/** Subtitles (SRT, WebVTT): a line for each caption, behind the time of its start. */
export const subtitleReader: DocumentReader = {
  name: "subtitles",
  mediaTypes: ["text/vtt", "application/x-subrip"],
  extensions: [".srt", ".vtt"],
  read: async (bytes, limits) => {
    const work = new ReadingWork("subtitles");
    const losses = new DocumentLosses();
    const builder = new TextBuilder(limits);
    const lines = decodeText(bytes, { encoding: limits.encoding, losses }).split(/\r\n?|\n/);
    let caption: { readonly line: number; readonly time: string; texts: string[] } | undefined;
    const end = (): void => {
      if (caption === undefined || caption.texts.length === 0) return;
      builder.addRow(`[${caption.time}] ${caption.texts.join(" ")}`, { line: caption.line });
    };
    for (const [index, line] of lines.entries()) {
      const time = TIMES.exec(line)?.[1];
      if (time !== undefined) {
        end();
        caption = { line: index + 1, time, texts: [] };
      } else if (line.trim() === "") {
        end();
        caption = undefined;
      } else {
        const text = line.replaceAll(/<[^<>]{0,100}>|\{\\[^{}]{0,100}\}/g, "").trim();
        if (text !== "") caption?.texts.push(text);
      }
      work.spend(line.length + 10);
      await work.pause();
    }
    end();
    return { ...builder.build(), ...losses.report() };
  },
};
