// Where a fault shows in the device model of the 2.x family, and the industry's code for it.

export interface FaultEvent {
  readonly component: string;
  readonly variable: string;
  readonly techCode?: string;
}

export const faultEvents: Readonly<Record<string, FaultEvent>> = {
  ConnectorLockFailure: { component: 'ConnectorPlugRetentionLock', variable: 'Problem', techCode: 'CX001' },
  GroundFailure: { component: 'RCD', variable: 'Tripped', techCode: 'CX002' },
  HighTemperature: { component: 'TemperatureSensor', variable: 'Problem', techCode: 'CX003' },
  OverCurrentFailure: { component: 'OverCurrentProtection', variable: 'Operated', techCode: 'CX004' },
  OverVoltage: { component: 'EVSE', variable: 'Problem', techCode: 'CX005' },
  UnderVoltage: { component: 'EVSE', variable: 'Problem', techCode: 'CX006' },
  EmergencyStop: { component: 'EmergencyStopSensor', variable: 'Tripped', techCode: 'CX008' },
  PowerMeterFailure: { component: 'FiscalMetering', variable: 'Problem' },
  PowerSwitchFailure: { component: 'PowerContactor', variable: 'Problem', techCode: 'CX017' },
  EVCommunicationError: { component: 'EVSE', variable: 'Problem', techCode: 'CX014' },
  ReaderFailure: { component: 'TokenReader', variable: 'Problem' },
};
