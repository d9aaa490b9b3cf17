import {
  Ban, Bot, CircleAlert, CircleCheck, CircleDashed, CircleDot, CirclePause, Clock, Columns3, Copy, Cpu, Ellipsis, GitBranch, GitCompare,
  House, Inbox, LoaderCircle, Menu, MessageSquareQuote, MonitorCog, Moon, Pause, Play, Plus, RotateCcw, Rows3, Search, Sun, Users, Waypoints,
  Wrench, X, type LucideIcon,
} from "lucide-react";

const ICONS = {
  home: House, runs: Rows3, inbox: Inbox, crew: Users, flow: Waypoints, agent: Bot, conversation: MessageSquareQuote,
  search: Search, menu: Menu, close: X, more: Ellipsis, copy: Copy, plus: Plus, columns: Columns3,
  system: MonitorCog, light: Sun, dark: Moon,
  queued: CircleDashed, running: LoaderCircle, waiting: CircleDot, completed: CircleCheck, failed: CircleAlert, cancelled: Ban, held: CirclePause,
  play: Play, pause: Pause, again: RotateCcw, fork: GitBranch, compare: GitCompare, model: Cpu, tool: Wrench, clock: Clock,
} satisfies Record<string, LucideIcon>;

export type IconName = keyof typeof ICONS;

/** A picture beside a word; never alone without a label on its button. */
export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) {
  const Shape = ICONS[name];
  return <Shape size={size} strokeWidth={1.9} aria-hidden="true" />;
}
