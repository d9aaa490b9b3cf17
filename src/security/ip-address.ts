// IP addresses as `URL.hostname` writes them, which knows every spelling: `127.0.0.1` for `0x7f.1`, `[::1]` for `[0:0::1]`.

/** Two parts of 16 bits for IPv4, eight for IPv6. */
export type IpAddress = readonly number[];

/** Reads the host of a URL, without brackets; undefined for a name. */
export function ipAddressOf(host: string): IpAddress | undefined {
  return host.includes(":") ? sixOf(host) : fourOf(host);
}

/** The IPv4 address that an IPv6 address (`::ffff:…`) stands for, else the address itself. */
export function unmapped(address: IpAddress): IpAddress {
  return isIn(address, ["::ffff:0:0/96"]) ? address.slice(6) : address;
}

/** Whether an address is in one of these ranges, such as `10.0.0.0/8` and `fc00::/7`. */
export function isIn(address: IpAddress, ranges: readonly string[]): boolean {
  return ranges.some((range) => {
    const [start = "", length] = range.split("/");
    const parts = ipAddressOf(start) ?? [];
    return (
      parts.length === address.length &&
      parts.every((part, index) => {
        const ignored = Math.min(16, Math.max(0, 16 * (index + 1) - Number(length)));
        return part >> ignored === (address[index] ?? 0) >> ignored;
      })
    );
  });
}

function fourOf(text: string): IpAddress | undefined {
  if (!/^\d{1,3}(\.\d{1,3}){3}$/.test(text)) return undefined;
  const [a = 0, b = 0, c = 0, d = 0] = text.split(".").map(Number);
  return Math.max(a, b, c, d) > 255 ? undefined : [a * 256 + b, c * 256 + d];
}

function sixOf(text: string): IpAddress | undefined {
  if (!/^[\da-f:]+$/i.test(text)) return undefined;
  const [head = "", tail, ...more] = text.split("::");
  const before = partsOf(head);
  const after = partsOf(tail ?? "");
  const left = 8 - before.length - after.length;
  if (more.length > 0 || (tail === undefined ? left !== 0 : left < 1)) return undefined;
  const parts = [...before, ...Array.from({ length: left }, () => 0), ...after];
  return parts.every((part) => part <= 0xffff) ? parts : undefined;
}

/** A part that is empty is none that an address may have. */
function partsOf(text: string): readonly number[] {
  if (text === "") return [];
  return text.split(":").map((part) => (part === "" ? Infinity : Number.parseInt(part, 16)));
}
