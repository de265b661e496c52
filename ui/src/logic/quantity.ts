/**
 * Numbers for readers, exactly as the text output writes them (`crates/report/src/quantity.rs`): as many digits as mean
 * something, a unit, and never a zero for what is not zero. `vectors/quantities.json` holds both to each other.
 */

export const UNKNOWN = "-";

function magnitudeOf(value: number): number {
    return Math.floor(Math.log10(Math.abs(value)));
}

/** Fixed decimals; what is exactly between two of them goes to the even one, as in the text output (`toFixed` goes up). */
function fixed(value: number, decimals: number): string {
    const text = value.toFixed(decimals);
    // Only such numbers can be between; the digits that follow decide.
    if (!Number.isInteger(value * 2 * 10 ** decimals) || Math.abs(value) >= 1e21) return text;
    const exact = value.toFixed(Math.min(decimals + 40, 100));
    const cut = exact.length - (Math.min(decimals + 40, 100) - decimals);
    const head = exact.slice(0, cut).replace(/\.$/, "");
    return /^\.?50*$/.test(exact.slice(cut)) && /[02468]$/.test(head) ? head : text;
}

/** `value` with `digits` significant digits, no exponent; undefined when it is not a number. */
function significant(value: number, digits: number): string | undefined {
    if (!Number.isFinite(value)) return undefined;
    if (value === 0) return "0";
    const magnitude = magnitudeOf(value);
    const decimals = Math.min(Math.max(digits - 1 - magnitude, 0), 9);
    const text = fixed(value, decimals);
    // 9.996 rounds up to 10.00: one digit too many.
    if (magnitudeOf(Number(text)) > magnitude && decimals > 0) return fixed(value, decimals - 1);
    return text;
}

/** A time with its unit: `12.4 s`, `3.10 ms`, `<0.01 ms`. */
export function time(seconds: number): string {
    if (!Number.isFinite(seconds)) return UNKNOWN;
    const size = Math.abs(seconds);
    if (size >= 3600) {
        const minutes = Math.round(seconds / 60);
        return `${Math.trunc(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")} min`;
    }
    if (size >= 0.9995) return `${significant(seconds, 3) ?? UNKNOWN} s`;
    if (size >= 0.000_01) {
        const milliseconds = seconds * 1e3;
        return `${(milliseconds < 0.995 ? fixed(milliseconds, 2) : significant(milliseconds, 3)) ?? UNKNOWN} ms`;
    }
    return size > 0 ? "<0.01 ms" : "0 s";
}

/** The unit of a column of times, so that its numbers compare at a glance. */
export type TimeUnit = "s" | "ms";

export function timeUnit(largest: number): TimeUnit {
    return largest >= 0.9995 ? "s" : "ms";
}

/** The number alone, with two decimals so that points align. */
export function timeNumber(seconds: number, unit: TimeUnit): string {
    const value = unit === "s" ? seconds : seconds * 1e3;
    if (!Number.isFinite(value)) return UNKNOWN;
    return value > 0 && value < 0.005 ? "<0.01" : fixed(value, 2);
}

/** A share in percent without its sign, one decimal: `43.0`, `<0.1`, `0`. */
export function percent(share: number): string {
    const value = share * 100;
    if (!Number.isFinite(value)) return UNKNOWN;
    if (value === 0) return "0";
    if (value < 0 && value > -0.05) return ">-0.1";
    return value > 0 && value < 0.05 ? "<0.1" : fixed(value, 1);
}

/** A share in percent within a sentence: `43 %`, `4.3 %`, `<0.1 %`. */
export function share(part: number): string {
    const value = part * 100;
    return Number.isFinite(value) && value >= 9.95 ? `${fixed(value, 0)} %` : `${percent(part)} %`;
}

/** A share in whole percent without its sign. */
export function wholePercent(share: number): string {
    return fixed(share * 100, 0);
}

/** An average of counts, with one decimal: `3.5`. */
export function tenths(value: number): string {
    return fixed(value, 1);
}

/** A change as a share, in percent with its sign: `+12.0 %`. */
export function changeInPercent(part: number): string {
    return `${part < 0 ? "" : "+"}${fixed(part * 100, 1)} %`;
}

function ratioNumber(value: number): string {
    if (!Number.isFinite(value)) return UNKNOWN;
    if (value > 0 && value < 0.005) return "<0.01";
    if (value < 1.995) return fixed(value, 2);
    return fixed(value, value < 9.95 ? 1 : 0);
}

/** A speed-up: `1.08×`, `2.4×`, `12×`. */
export function ratio(value: number): string {
    return `${ratioNumber(value)}×`;
}

/** A range of speed-ups: `1.08–1.31×`. */
export function ratioRange([low, high]: readonly [number, number]): string {
    const [from, to] = [ratioNumber(low), ratioNumber(high)];
    return from === to ? `${from}×` : `${from}–${to}×`;
}

/** The range of a gain begins below 1 as it is printed. */
export function mayBeSlower([low]: readonly [number, number]): boolean {
    return low < 0.995;
}

/** A predicted gain: `likely 1.40×, 1.10–1.80×`; a range that begins below 1 may be a loss. */
export function gain(range: readonly [number, number], likely: number | undefined): string {
    const [text, most] = [ratioRange(range), likely === undefined ? undefined : ratio(likely)];
    const doubt = mayBeSlower(range) ? ", may be slower" : "";
    return most === undefined || most === text ? `${text}${doubt}` : `likely ${most}, ${text}${doubt}`;
}

/** A count with thousands apart: `24,070`. */
export function count(value: number): string {
    return fixed(value, 0).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** A count in at most nine columns: exact below a million, four digits above: `24,070`, `1.235 G`. */
export function amount(value: number): string {
    const units = ["M", "G", "T", "P", "E"];
    if (value < 1_000_000) return count(value);
    let size = value / 1e6;
    let unit = 0;
    while (size >= 999.95 && unit + 1 < units.length) {
        size /= 1000;
        unit += 1;
    }
    return `${significant(size, 4) ?? UNKNOWN} ${units[unit] ?? ""}`;
}

/** A mean of counts: whole where it is whole, else four digits: `19`, `18.53`, `1,024.5`. */
export function mean(value: number): string {
    if (!Number.isFinite(value)) return UNKNOWN;
    if (value >= 999_999.95) return amount(Math.round(value));
    if (Number.isInteger(value)) return count(value);
    if (value >= 999.95) return fixed(value, 1).replace(/\B(?=\d{3}\.)/, ",");
    return value < 0.005 ? "<0.01" : (significant(value, 4) ?? UNKNOWN);
}

/** A lowest and a highest count: `19`, `17–24`. */
export function span([low, high]: readonly [number, number]): string {
    return low === high ? amount(low) : `${amount(low)}–${amount(high)}`;
}

/** A count with its noun: `1 thread`, `4 threads`. */
export function counted(value: number, one: string, many: string): string {
    return `${count(value)} ${value === 1 ? one : many}`;
}

/** A memory size in binary units: `32 KiB`, `1.5 GiB`. */
export function bytes(value: number): string {
    const units = ["KiB", "MiB", "GiB", "TiB", "PiB"];
    if (value < 1024) return `${fixed(value, 0)} B`;
    let size = value / 1024;
    let unit = 0;
    while (size >= 1023.5 && unit + 1 < units.length) {
        size /= 1024;
        unit += 1;
    }
    const number = Number.isInteger(size) || size >= 99.95 ? fixed(size, 0) : (significant(size, 3) ?? UNKNOWN);
    return `${number} ${units[unit] ?? ""}`;
}

/** An amount of energy: `312 J`, `1.20 kJ`. */
export function energy(joules: number): string {
    const units = ["J", "kJ", "MJ", "GJ"];
    if (!Number.isFinite(joules)) return UNKNOWN;
    let size = joules;
    let unit = 0;
    while (size >= 999.5 && unit + 1 < units.length) {
        size /= 1000;
        unit += 1;
    }
    return `${rate(size)} ${units[unit] ?? ""}`;
}

/** A rate (GFLOP/s, GB/s) or latency (ns): three digits. */
export function rate(value: number): string {
    return value > 0 && value < 0.005 ? "<0.01" : (significant(value, 3) ?? UNKNOWN);
}
