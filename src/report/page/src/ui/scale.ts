/** The round number (1, 2 or 5 times a power of ten) that is at least `step`. */
export function niceStep(step: number): number {
    if (!(step > 0)) return 0;
    const power = 10 ** Math.floor(Math.log10(step));
    return ([1, 2, 5].find((digit) => digit * power >= step * 0.9999) ?? 10) * power;
}
