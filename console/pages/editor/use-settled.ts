import { useEffect, useState } from "react";

/** Returns the value once it has not changed for so long. */
export function useSettled<T>(value: T, forMs: number): T {
  const [settled, settle] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => settle(value), forMs);
    return () => clearTimeout(timer);
  }, [value, forMs]);
  return settled;
}
