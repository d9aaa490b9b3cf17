// Addresses of machines, as `URL.hostname` has them without its brackets: IPv4 as four numbers, IPv6 compressed and in lower case.

/** The words of 16 bits of an address: two of IPv4, also where IPv6 carries it (::ffff:…), eight of IPv6. */
export type IpAddress = readonly number[];

/** The address; undefined for a name. */
export function ipAddress(host: string): IpAddress | undefined {
  if (/^(?:\d{1,3}\.){3}\d{1,3}$/.test(host)) {
    const [a = 0, b = 0, c = 0, d = 0] = host.split(".").map(Number);
    return Math.max(a, b, c, d) > 255 ? undefined : [a * 256 + b, c * 256 + d];
  }
  if (!/^[\da-f]*:[\da-f:]*$/.test(host)) return undefined;
  const [left = [], right, more] = host.split("::").map(wordsOf);
  const zeros = right === undefined ? 0 : 8 - left.length - right.length;
  if (zeros < 0 || more !== undefined) return undefined;
  const words = [...left, ...Array<number>(zeros).fill(0), ...(right ?? [])];
  if (words.length !== 8) return undefined;
  return words.slice(0, 6).join() === "0,0,0,0,0,65535" ? words.slice(6) : words;
}

function wordsOf(text: string): number[] {
  return text === "" ? [] : text.split(":").map((word) => Number.parseInt(word, 16));
}

/**
 * Ranges other than single public machines: iana.org/assignments/iana-ipv4-special-registry and its IPv6 counterpart,
 * November 2026.
 */
const SPECIAL =
  "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3 ::/128 ::1/128 ::ffff:0:0:0/96 64:ff9b::/96 64:ff9b:1::/48 100::/64 2001::/23 2001:db8::/32 2002::/16 2620:4f:8000::/48 3fff::/20 5f00::/16 fc00::/7 fe80::/9 ff00::/8"
    .split(" ")
    .map(rangeOf);
const LOOPBACK = ["127.0.0.0/8", "::1/128"].map(rangeOf);

/** False for private networks, this machine, multicast, test ranges, and addresses with another address embedded. */
export function isPublicAddress(address: IpAddress): boolean {
  return !SPECIAL.some((range) => isIn(address, range));
}

export function isLoopbackAddress(address: IpAddress): boolean {
  return LOOPBACK.some((range) => isIn(address, range));
}

type Range = { readonly start: IpAddress; readonly bits: number };

function rangeOf(text: string): Range {
  const [start = "", bits] = text.split("/");
  return { start: ipAddress(start) ?? [], bits: Number(bits) };
}

function isIn(address: IpAddress, { start, bits }: Range): boolean {
  return (
    address.length === start.length &&
    address.every((word, index) => {
      const free = Math.min(Math.max(16 - (bits - index * 16), 0), 16);
      return word >> free === (start[index] ?? 0) >> free;
    })
  );
}
