// The formats of JSON Schema, by their names. A name that is not here is no rule.

type IsOfFormat = (text: string) => boolean;

const HEX = "%[0-9a-f]{2}";
const NAME_CHARACTERS = "a-z0-9\\-._~!$&'()*+,;=";
const USER = `(?:[${NAME_CHARACTERS}:]|${HEX})*@`;
const HOST = `(?:[${NAME_CHARACTERS}]|${HEX})*`;
const IN_SEGMENT = `(?:[${NAME_CHARACTERS}:@]|${HEX})`;
const SEGMENTS = `(?:\\/${IN_SEGMENT}*)*`;
const SCHEME = "[a-z][a-z0-9+\\-.]*:";
/** Captures an address in brackets. */
const PLACE = `(?:\\/?\\/(?:${USER})?(?:\\[([^\\]]*)\\]|${HOST})(?::\\d*)?${SEGMENTS}|\\/?${IN_SEGMENT}+${SEGMENTS})`;
const QUERY = `(?:[${NAME_CHARACTERS}:@/?]|${HEX})*`;
const AFTER_PLACE = `(?:\\?${QUERY})?(?:#${QUERY})?$`;
const URI = new RegExp(`^${SCHEME}${PLACE}${AFTER_PLACE}`, "i");
const URI_REFERENCE = new RegExp(`^(?:${SCHEME})?${PLACE}?${AFTER_PLACE}`, "i");
const FUTURE_ADDRESS = new RegExp(`^v[0-9a-f]+\\.[${NAME_CHARACTERS}:]+$`, "i");

const VARIABLE = `(?:[a-z0-9_]|${HEX})+(?:\\.(?:[a-z0-9_]|${HEX})+)*(?::[1-9]\\d{0,3}|\\*)?`;
const URI_TEMPLATE = new RegExp(
  `^(?:[^\\x00-\\x20\\x7f"<>%\\\\^\`{|}]|${HEX}|\\{[+#./;?&=,!@|]?${VARIABLE}(?:,${VARIABLE})*\\})*$`,
  "i",
);

const LABEL = "[a-z\\u00a1-\\uffff0-9]+(?:-[a-z\\u00a1-\\uffff0-9]+)*";
const PUBLIC_ADDRESS =
  "(?!10\\.|127\\.|169\\.254\\.|192\\.168\\.|172\\.(?:1[6-9]|2\\d|3[01])\\.)(?:[1-9]\\d?|1\\d\\d|2[01]\\d|22[0-3])" +
  "(?:\\.(?:1?\\d{1,2}|2[0-4]\\d|25[0-5])){2}\\.(?:[1-9]\\d?|1\\d\\d|2[0-4]\\d|25[0-4])";
const URL_OF_WEB = new RegExp(
  `^(?:https?|ftp):\\/\\/(?:\\S+@)?(?:${PUBLIC_ADDRESS}|(?:${LABEL}\\.)+[a-z\\u00a1-\\uffff]{2,})(?::\\d{2,5})?(?:\\/\\S*)?$`,
  "iu",
);

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|[01]?\d\d?)(?:\.(?!$)|$)){4}$/;
const IPV4_AT_END = /:(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;
const IPV6 = /^[0-9a-f]{1,4}(?::[0-9a-f]{1,4}){7}$/i;
const SHORTENED_IPV6 =
  /^(?:[0-9a-f]{1,4}(?::[0-9a-f]{1,4})*)?::(?:[0-9a-f]{1,4}(?::[0-9a-f]{1,4})*)?$/i;

const HOST_NAME =
  /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/i;
const EMAIL =
  /^(?:"(?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\[\x20-\x7e])*"|(?!\.|.*\.(?:\.|@))[a-z0-9.!#$%&'*+/=?^_`{|}~-]+)@/i;
const DATE = /^\d{4}-\d\d-\d\d$/;
const TIME = /^(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:z|([+-])(\d\d):(\d\d))$/i;
const DURATION =
  /^P(?:\d+W|(?!.*(?:Y\d+D|H\d+S))(?=\d|T)(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+S)?)?)$/;

export const FORMATS: Readonly<Record<string, IsOfFormat>> = {
  date: isDate,
  time: isTime,
  "date-time": (text) =>
    isDate(text.slice(0, 10)) && /^[t\s]$/i.test(text.charAt(10)) && isTime(text.slice(11)),
  duration: matching(DURATION),
  uri: (text) => isUri(URI, text),
  "uri-reference": (text) => isUri(URI_REFERENCE, text),
  "uri-template": matching(URI_TEMPLATE),
  url: matching(URL_OF_WEB),
  email: isEmail,
  hostname: matching(HOST_NAME),
  ipv4: matching(IPV4),
  ipv6: isIpv6,
  regex: isRegex,
  uuid: matching(/^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i),
  "json-pointer": matching(/^(?:\/(?:[^~/]|~[01])*)*$/),
  "json-pointer-uri-fragment": matching(
    /^#(?:\/(?:[a-z0-9_\-.!$&'()*+,;:=@]|%[0-9a-f]{2}|~[01])*)*$/i,
  ),
  "relative-json-pointer": matching(/^(?:0|[1-9]\d*)(?:#|(?:\/(?:[^~/]|~[01])*)*)$/),
};

function matching(pattern: RegExp): IsOfFormat {
  return (text) => pattern.test(text);
}

function isDate(text: string): boolean {
  const day = new Date(`${text}T00:00Z`);
  return DATE.test(text) && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

/** A leap second is one of 23:59 in UTC. */
function isTime(text: string): boolean {
  const [, hours, minutes, seconds, sign, hoursAhead = 0, minutesAhead = 0] = TIME.exec(text) ?? [];
  const minute = Number(hours) * 60 + Number(minutes);
  const ahead = Number(hoursAhead) * 60 + Number(minutesAhead);
  const isLeap =
    Number(seconds) === 60 && (minute + (sign === "-" ? ahead : 1440 - ahead)) % 1440 === 1439;
  return (
    Number(hours) < 24 &&
    Number(minutes) < 60 &&
    Number(hoursAhead) < 24 &&
    Number(minutesAhead) < 60 &&
    (Number(seconds) < 60 || isLeap)
  );
}

function isUri(pattern: RegExp, text: string): boolean {
  const found = pattern.exec(text);
  const address = found?.[1];
  return (
    found !== null && (address === undefined || isIpv6(address) || FUTURE_ADDRESS.test(address))
  );
}

function isEmail(text: string): boolean {
  const [before] = EMAIL.exec(text) ?? [];
  if (before === undefined || before.length > 65) return false;
  const host = text.slice(before.length);
  const [, version, address] = /^\[(ipv6:)?(.*)\]$/i.exec(host) ?? [];
  if (address === undefined) return HOST_NAME.test(host);
  return version === undefined ? IPV4.test(address) : isIpv6(address);
}

/** `::` stands for one group at least; an address of version 4 at the end for two groups. */
function isIpv6(text: string): boolean {
  const groups = text.replace(IPV4_AT_END, ":0:0");
  if (IPV6.test(groups)) return true;
  return SHORTENED_IPV6.test(groups) && groups.split(":").filter(Boolean).length <= 7;
}

function isRegex(text: string): boolean {
  if (/[^\\]\\Z/.test(text)) return false;
  try {
    return new RegExp(text, "u").unicode;
  } catch {
    return false;
  }
}
