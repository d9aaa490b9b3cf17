import { useQuery } from "@tanstack/react-query";

/** A cron expression in words; the part that reads it is loaded when it is first needed. Undefined for what is no cron. */
async function cronInWords(cron: string): Promise<string | null> {
  const { default: cronstrue } = await import("cronstrue");
  try {
    return cronstrue.toString(cron.trim(), { use24HourTimeFormat: true });
  } catch {
    return null;
  }
}

export function useCronWords(cron: string): string | undefined {
  const { data } = useQuery({
    queryKey: ["cron words", cron],
    queryFn: () => cronInWords(cron),
    staleTime: Infinity,
    enabled: cron.trim() !== "",
  });
  return data ?? undefined;
}
