/** The first `most` in the order of `before`, found without sorting all of a long list. */
export class Greatest<T> {
    private kept: T[] = [];
    /** Whatever comes after it has no chance. */
    private last: T | undefined;

    constructor(
        private most: number,
        private before: (a: T, b: T) => number,
    ) {}

    add(item: T) {
        if (this.last !== undefined && this.before(item, this.last) > 0) return;
        this.kept.push(item);
        if (this.kept.length >= 16 * this.most) this.last = this.list()[this.most - 1];
    }

    list(): T[] {
        this.kept = this.kept.sort(this.before).slice(0, this.most);
        return this.kept;
    }
}
