/* For commands that still say -Icore; to be deleted. */
#include "../include/ecs.h"
