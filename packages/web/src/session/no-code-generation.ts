// Loaded before anything that makes schemas: zod would try to generate code, which the policy of the document forbids and reports.
import { z } from 'zod';

z.config({ jitless: true });
