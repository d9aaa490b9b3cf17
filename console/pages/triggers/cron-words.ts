import { useQuery } from "@tanstack/react-query";

/** A cron expression in words, or its fault. Both are empty until the parser has loaded. */
export type CronWords = { readonly words: string; readonly fault: string };

const NOTHING: CronWords = { words: "", fault: "" };

/** Describes a cron expression. Loads its parser on first use. */
async function cronInWords(cron: string): Promise<CronWords> {
  const { default: cronstrue } = await import("cronstrue");
  try {
    return { words: cronstrue.toString(cron.trim(), { use24HourTimeFormat: true }), fault: "" };
  } catch (error) {
    return { words: "", fault: faultOf(error) };
  }
}

/** The parser throws texts, such as `Error: Minutes part must be >= 0 and <= 59`. */
function faultOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return `${text.replace(/^Error: /, "").replace(/\.$/, "")}.`;
}

export function useCronWords(cron: string): CronWords {
  const { data } = useQuery({
    queryKey: ["cron words", cron],
    queryFn: () => cronInWords(cron),
    staleTime: Infinity,
    enabled: cron.trim() !== "",
  });
  return data ?? NOTHING;
}
