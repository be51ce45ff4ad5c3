// Private servers to try scale-out with: prints where they are, as lines for a shell, and ends with them.
import { openServices } from './services.mjs';

const services = openServices();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => services.close());
const [postgres, nats] = await Promise.all([services.startPostgres({ isDurable: true }), services.startNats()]);
process.stdout.write(`export DATABASE_URL=${postgres.url}\nexport NATS_URL=${nats.url}\n`);
