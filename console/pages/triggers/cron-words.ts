import { useQuery } from "@tanstack/react-query";

/** Describes a cron expression in words. Loads its parser on first use. Undefined for an invalid expression. */
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
