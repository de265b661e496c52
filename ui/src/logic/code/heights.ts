/**
 * The place of each row of a long list when rows are of different heights: estimated until they are measured. A tree of partial
 * sums (Fenwick 1994, "A new data structure for cumulative frequency tables") keeps changes and look-ups logarithmic.
 */
export class Heights {
    readonly count: number;
    private readonly own: Float64Array;
    /** Element k: sum of the heights of the `k & -k` rows before row k. */
    private readonly sums: Float64Array;
    /** The largest power of two that is not above the number of rows. */
    private readonly top: number;

    constructor(count: number, estimate: (row: number) => number) {
        this.count = count;
        this.own = Float64Array.from({ length: count }, (_, row) => estimate(row));
        this.sums = new Float64Array(count + 1);
        this.own.forEach((height, row) => (this.sums[row + 1] = height));
        for (let at = 1; at <= count; at++) {
            const next = at + (at & -at);
            if (next <= count) this.sums[next] = (this.sums[next] ?? 0) + (this.sums[at] ?? 0);
        }
        this.top = count === 0 ? 0 : 2 ** Math.floor(Math.log2(count));
    }

    height(row: number): number {
        return this.own[row] ?? 0;
    }

    /** Notes a measured height; returns whether that changed anything. */
    set(row: number, height: number): boolean {
        if (row < 0 || row >= this.count) return false;
        const change = height - this.height(row);
        // Browsers measure in fractions of a pixel, which need not come out the same twice.
        if (Math.abs(change) < 0.1) return false;
        this.own[row] = height;
        for (let at = row + 1; at <= this.count; at += at & -at) this.sums[at] = (this.sums[at] ?? 0) + change;
        return true;
    }

    /** The upper edge of a row; of the row behind the last one: the height of all. */
    offset(row: number): number {
        let sum = 0;
        for (let at = Math.min(Math.max(row, 0), this.count); at > 0; at -= at & -at) sum += this.sums[at] ?? 0;
        return sum;
    }

    get total(): number {
        return this.offset(this.count);
    }

    /** The row at a distance from the upper edge; the first or the last one beyond the edges. */
    rowAt(distance: number): number {
        let row = 0;
        let left = distance;
        for (let step = this.top; step > 0; step /= 2) {
            const sum = this.sums[row + step];
            if (row + step <= this.count && sum !== undefined && sum <= left) {
                row += step;
                left -= sum;
            }
        }
        return Math.max(Math.min(row, this.count - 1), 0);
    }

    /** First row and row behind the last one that show in a window, with some more on both sides. */
    window(top: number, height: number, more: number): [number, number] {
        if (this.count === 0) return [0, 0];
        return [Math.max(this.rowAt(top) - more, 0), Math.min(this.rowAt(top + height) + 1 + more, this.count)];
    }
}
