// The names of what a charger's meters can measure, as OCPP has them.

const measurands = [
  'Current\\.(?:Export|Offered)',
  // Where there are phases, one of them alone can be asked for.
  'Current\\.Import(?:\\.L[123])?',
  'Energy\\.(?:Active|Reactive)\\.(?:Export|Import)\\.(?:Interval|Register)',
  'Frequency',
  'Power\\.(?:Active\\.Export|Factor|Offered|Reactive\\.(?:Export|Import))',
  'Power\\.Active\\.Import(?:\\.L[123])?',
  'SoC',
  'Voltage(?:\\.L[123](?:-N)?)?',
];

/** In every version. */
export const measurandWord = new RegExp(`^(?:${measurands.join('|')})$`);
/** 1.6 knows one more. */
export const measurandWord16 = new RegExp(`^(?:${[...measurands, 'Temperature'].join('|')})$`);
