/** Builder of a path in a picture: the `d` of an SVG path. */
export class Way {
  #x: number;
  #y: number;
  #text: string;

  constructor(x: number, y: number) {
    this.#x = x;
    this.#y = y;
    this.#text = `M${round(x)} ${round(y)}`;
  }

  toString(): string {
    return this.#text;
  }

  /** Straight down, or up. */
  down(y: number | undefined): void {
    if (y === undefined || y === this.#y) return;
    this.#y = y;
    this.#text += `V${round(y)}`;
  }

  /** On to a place in another row, upright at both ends. */
  bend(x: number, y: number): void {
    if (x === this.#x) return this.down(y);
    const middle = (this.#y + y) / 2;
    this.#curve(middle, x, y);
  }

  /** Moves to another column of the same row, in a curve below it, or above it for a negative `by`. */
  turn(x: number, by: number): void {
    const out = this.#y + (by * 4) / 3; // a curve reaches three quarters of the distance to its handles
    this.#curve(out, x, this.#y);
  }

  #curve(handles: number, x: number, y: number): void {
    const points = [this.#x, handles, x, handles, x, y];
    this.#text += `C${points.map(round).join(" ")}`;
    this.#x = x;
    this.#y = y;
  }
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
