/**
 * Numbers as the text output writes them, once more: written from the description and not from the page's own code, and
 * held to the vectors of the text output (`figures.spec.ts`), so that a mistake of the page cannot hide in its tests.
 */

/** Fixed decimals; what is exactly between two goes to the even one, as in the text output. */
export function fixed(value: number, decimals: number): string {
    const long = value.toFixed(decimals + 40);
    const head = long.slice(0, -40).replace(/\.$/, "");
    const between = /^50*$/.test(long.slice(-40));
    return between && /[02468]$/.test(head) ? head : value.toFixed(decimals);
}

function digits(value: number, wanted: number): string {
    if (value === 0) return "0";
    const whole = Math.trunc(Math.abs(value)).toString().length;
    if (Math.abs(value) >= 1) {
        const text = fixed(value, Math.max(wanted - whole, 0));
        const grown = Math.trunc(Math.abs(Number(text))).toString().length > whole;
        return grown && wanted > whole ? fixed(value, wanted - whole - 1) : text;
    }
    const zeros = -Math.floor(Math.log10(Math.abs(value))) - 1;
    const decimals = Math.min(zeros + wanted, 9);
    const text = fixed(value, decimals);
    return Number(text) >= 10 ** -zeros ? fixed(value, decimals - 1) : text;
}

export function time(seconds: number): string {
    const size = Math.abs(seconds);
    if (size === 0) return "0 s";
    if (size < 1e-5) return "<0.01 ms";
    if (size < 0.9995) return `${seconds * 1e3 < 0.995 ? fixed(seconds * 1e3, 2) : digits(seconds * 1e3, 3)} ms`;
    if (size < 3600) return `${digits(seconds, 3)} s`;
    const minutes = Math.round(seconds / 60);
    return `${Math.floor(minutes / 60)} h ${`0${minutes % 60}`.slice(-2)} min`;
}

export function inUnit(seconds: number, unit: "s" | "ms"): string {
    const value = unit === "s" ? seconds : seconds * 1000;
    return 0 < value && value < 0.005 ? "<0.01" : fixed(value, 2);
}

export function percent(share: number): string {
    const value = 100 * share;
    if (value === 0) return "0";
    return 0 < value && value < 0.05 ? "<0.1" : fixed(value, 1);
}

export function share(part: number): string {
    return `${100 * part < 9.95 ? percent(part) : fixed(100 * part, 0)} %`;
}

function times(value: number): string {
    if (0 < value && value < 0.005) return "<0.01";
    return fixed(value, value >= 9.95 ? 0 : value >= 1.995 ? 1 : 2);
}

export const ratio = (value: number): string => `${times(value)}×`;

export function ratioRange(low: number, high: number): string {
    return times(low) === times(high) ? ratio(low) : `${times(low)}–${times(high)}×`;
}

export const count = (value: number): string => BigInt(Math.round(value)).toLocaleString("en-US");

export function amount(value: number): string {
    if (value < 1e6) return count(value);
    const steps = Math.min([999.95e6, 999.95e9, 999.95e12, 999.95e15].filter((limit) => value >= limit).length, 4);
    return `${digits(value / 1000 ** (steps + 2), 4)} ${"MGTPE"[steps] ?? ""}`;
}

export function mean(value: number): string {
    if (value >= 999_999.95) return amount(Math.round(value));
    if (Number.isInteger(value)) return count(value);
    if (value < 0.005) return "<0.01";
    if (value < 999.95) return digits(value, 4);
    return fixed(value, 1).replace(/^\d+/, (whole) => count(Number(whole)));
}

export const span = (low: number, high: number): string => (low === high ? amount(low) : `${amount(low)}–${amount(high)}`);

export function bytes(value: number): string {
    if (value < 1024) return `${fixed(value, 0)} B`;
    let [size, unit] = [value / 1024, 0];
    for (; size >= 1023.5 && unit < 4; unit++) size /= 1024;
    return `${Number.isInteger(size) || size >= 99.95 ? fixed(size, 0) : digits(size, 3)} ${"KMGTP"[unit] ?? ""}iB`;
}

export const rate = (value: number): string => (0 < value && value < 0.005 ? "<0.01" : digits(value, 3));

export function energy(joules: number): string {
    const steps = [999.5, 999.5e3, 999.5e6].filter((limit) => joules >= limit).length;
    return `${rate(joules / 1000 ** steps)} ${["J", "kJ", "MJ", "GJ"][steps] ?? ""}`;
}
