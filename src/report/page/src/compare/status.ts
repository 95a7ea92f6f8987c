import type { Status } from "../data/comparison";

export const STATUSES: Status[] = ["gone", "better", "new", "worse", "same"];

const TITLES: Record<Status, string> = { gone: "gone", better: "better", new: "new", worse: "worse", same: "unchanged" };

export const statusTitle = (status: Status) => TITLES[status] ?? status;
