// Formats times in the zone of a schedule, beside the reader's own.

export const ownZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** `Mon, 23 Nov 2026, 07:00` in that zone; the UTC time for an unknown zone. */
export function timeIn(zone: string, at: string): string {
  try {
    return new Intl.DateTimeFormat("en-GB", {
      timeZone: zone,
      weekday: "short",
      day: "numeric",
      month: "short",
      year: "numeric",
      hour: "2-digit",
      minute: "2-digit",
    }).format(new Date(at));
  } catch {
    return at;
  }
}

export function knownZones(): readonly string[] {
  return ["UTC", ...Intl.supportedValuesOf("timeZone").filter((zone) => zone !== "UTC")];
}
