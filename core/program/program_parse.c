/* program_parse.c: reads the text of a kernel program, line by line. */
#include "program/program_parse.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>

/* Room for the longest word that can mean something, and its final 0. Longer
 * words are refused. */
#define WORD_ROOM (4 * ECS_NAME_LIMIT + 1)

typedef struct Parser {
  ecs_Program *program;
  const Mistake *mistake;
  const char *next; /* the first byte that is not read yet */
  const char *end;  /* of the text */
  uint32_t line;
  uint32_t depth;       /* cycles that are open */
  ecs_Status status;    /* ECS_OK until something is wrong */
  bool quoted;          /* the last word stood in quotes */
  char word[WORD_ROOM]; /* the last word, ended by 0 */
} Parser;

/* Only the first failure is reported. Reading goes on after it, without effect:
 * words are empty and nothing is appended. */

static void fail(Parser *parser, const char *problem, const char *detail) {
  if (parser->status != ECS_OK) return;
  mistake_write(parser->mistake, parser->line, "%s%s", problem, detail);
  parser->status = ECS_E_PROGRAM;
}

/* A limit is no mistake in the program, but its message has the same form. */
static void fail_limit(Parser *parser, const char *problem) {
  if (parser->status != ECS_OK) return;
  fail(parser, problem, "");
  parser->status = ECS_E_LIMIT;
}

static void fail_memory(Parser *parser) {
  if (parser->status == ECS_OK) parser->status = ECS_E_MEMORY;
}

/* Words ----------------------------------------------------------------- */

static bool is_line_end(const Parser *parser) {
  return parser->next == parser->end || *parser->next == '\n' ||
         *parser->next == ';';
}

static void skip_spaces(Parser *parser) {
  while (
      parser->next < parser->end &&
      (*parser->next == ' ' || *parser->next == '\t' || *parser->next == '\r'))
    parser->next++;
}

static int hex_digit(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  return -1;
}

/* Reads xHH after a backslash. -1: that is not what follows. */
static int read_byte(Parser *parser) {
  if (parser->end - parser->next < 3 || parser->next[0] != 'x') return -1;
  int high = hex_digit(parser->next[1]), low = hex_digit(parser->next[2]);
  parser->next += 3;
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

static void read_quoted(Parser *parser) {
  size_t used = 0;
  parser->quoted = true;
  parser->next++;
  while (parser->next < parser->end && *parser->next != '"' &&
         *parser->next != '\n' && used + 1 < WORD_ROOM) {
    int byte = (unsigned char)*parser->next++;
    if (byte == '\\') byte = read_byte(parser);
    if (byte <= 0) {
      fail(parser, "no such escape in a name", "");
      return;
    }
    parser->word[used++] = (char)byte;
  }
  parser->word[used] = 0;
  if (parser->next == parser->end || *parser->next != '"')
    fail(parser, "a name lacks its closing quote, or is too long", "");
  else
    parser->next++;
}

static void read_bare(Parser *parser) {
  size_t used = 0;
  parser->quoted = false;
  while (!is_line_end(parser) && *parser->next != ' ' &&
         *parser->next != '\t' && *parser->next != '\r' &&
         *parser->next != '"') {
    if (used + 1 == WORD_ROOM || *parser->next == 0) {
      fail(parser, "a word is too long or has a zero byte", "");
      return;
    }
    parser->word[used++] = *parser->next++;
  }
  parser->word[used] = 0;
}

/* Reads the next word of the line. False, with an empty word: there is none. */
static bool next_word(Parser *parser) {
  parser->word[0] = 0;
  parser->quoted = false;
  skip_spaces(parser);
  if (parser->status != ECS_OK || is_line_end(parser)) return false;
  if (*parser->next == '"')
    read_quoted(parser);
  else
    read_bare(parser);
  return parser->status == ECS_OK;
}

/* The last word as messages show it. */
static const char *shown(const Parser *parser) {
  return parser->word[0] == 0 ? "nothing" : parser->word;
}

static bool word_is(const Parser *parser, const char *text) {
  return !parser->quoted && strcmp(parser->word, text) == 0;
}

static void next_line(Parser *parser) {
  skip_spaces(parser);
  if (!is_line_end(parser)) fail(parser, "something is left on the line", "");
  while (parser->next < parser->end && *parser->next != '\n') parser->next++;
  if (parser->next < parser->end) parser->next++;
  parser->line++;
}

/* References ------------------------------------------------------------ */

/* The number in the last word, such as 12 in "c12" for the letter c. NO_VALUE:
 * the word does not have this form. */
static uint32_t numbered(const Parser *parser, char letter) {
  const char *digit = parser->word;
  uint32_t number = 0;
  if (parser->quoted || *digit++ != letter) return NO_VALUE;
  if (*digit == 0 || (digit[0] == '0' && digit[1] != 0)) return NO_VALUE;
  for (; *digit != 0; digit++) {
    if (*digit < '0' || *digit > '9' || number > 9999999) return NO_VALUE;
    number = number * 10 + (uint32_t)(*digit - '0');
  }
  return number;
}

/* Reads a word that refers to one of count columns, values and so on. */
static uint32_t reference(Parser *parser, char letter, uint32_t count) {
  const char name[2] = {letter, 0};
  next_word(parser);
  uint32_t number = numbered(parser, letter);
  if (number < count) return number;
  fail(parser, "there is none of these, or it is not defined yet: ",
       parser->word[0] ? parser->word : name);
  return 0;
}

static uint32_t value_reference(Parser *parser) {
  return reference(parser, 'v', parser->program->value_count);
}

/* Reads a mask. NO_VALUE: the line has none. */
static uint32_t mask_reference(Parser *parser) {
  skip_spaces(parser);
  return is_line_end(parser) ? NO_VALUE : value_reference(parser);
}

static ValueType read_type(Parser *parser) {
  next_word(parser);
  for (int type = 0; type < VALUE_TYPE_COUNT; type++)
    if (word_is(parser, value_type_name((ValueType)type)))
      return (ValueType)type;
  fail(parser, "a type is f32, f64, bool or entity: ", shown(parser));
  return VALUE_F64;
}

static ecs_Scalar read_scalar(Parser *parser) {
  next_word(parser);
  for (int scalar = 0; scalar < ECS_SCALAR_COUNT; scalar++)
    if (!scalar_is_held((ecs_Scalar)scalar) &&
        word_is(parser, ecs_scalar_name((ecs_Scalar)scalar)))
      return (ecs_Scalar)scalar;
  fail(parser, "no such field type: ", shown(parser));
  return ECS_F64;
}

static void read_name(Parser *parser) {
  next_word(parser);
  if (!parser->quoted)
    fail(parser, "a name in quotes is missing here: ", shown(parser));
}

static ecs_Component read_component(Parser *parser) {
  read_name(parser);
  if (parser->status != ECS_OK) return 0;
  ecs_Component component =
      store_find_component(parser->program->query->store, parser->word);
  if (component == 0) fail(parser, "no such component: ", shown(parser));
  return component;
}

/* A world without components has no array of them, so nothing is read after a
 * failure. */
static uint32_t read_field(Parser *parser, ecs_Component component) {
  read_name(parser);
  if (parser->status != ECS_OK) return 0;
  const Schema *schema =
      parser->program->query->store->components.all[component].schema;
  for (uint32_t k = 0; k < schema->field_count; k++)
    if (strcmp(schema->fields[k].name, parser->word) == 0) return k;
  fail(parser, "no such field: ", shown(parser));
  return 0;
}

/* Declarations ---------------------------------------------------------- */

static bool room(Parser *parser, void **array, uint32_t *capacity,
                 uint32_t count, size_t bytes, uint32_t limit) {
  if (parser->status != ECS_OK) return false;
  ECS_ASSERT(count <= *capacity);
  if (count >= limit) fail_limit(parser, "the program is too long");
  if (parser->status != ECS_OK || count < *capacity)
    return parser->status == ECS_OK;
  if (!memory_grow(&parser->program->query->store->memory, array, capacity,
                   count, 1, bytes))
    fail_memory(parser);
  return parser->status == ECS_OK;
}

/* Reads the word that numbers what is declared, such as c0. */
static void expect_next(Parser *parser, char letter, uint32_t count) {
  next_word(parser);
  if (numbered(parser, letter) != count)
    fail(parser, "not the number that comes next: ", shown(parser));
}

static ecs_Access read_access(Parser *parser) {
  next_word(parser);
  for (int access = 0; access < ECS_ACCESS_COUNT; access++)
    if (access_has_columns((ecs_Access)access) &&
        word_is(parser, access_name((ecs_Access)access)))
      return (ecs_Access)access;
  fail(parser, "a column is write, read, optional or up: ", shown(parser));
  return ECS_READ;
}

static void declare_column(Parser *parser) {
  ecs_Program *program = parser->program;
  const Store *store = program->query->store;
  void *columns = program->columns;
  expect_next(parser, 'c', program->column_count);
  ecs_Component component = read_component(parser);
  uint32_t field = read_field(parser, component);
  ecs_Scalar type = read_scalar(parser);
  ecs_Access access = read_access(parser);
  bool fits =
      room(parser, &columns, &program->column_capacity, program->column_count,
           sizeof(ecs_KernelColumn), ECS_DECLARATION_LIMIT);
  program->columns = columns;
  if (!fits) return;
  const Schema *schema = store->components.all[component].schema;
  program->columns[program->column_count++] = (ecs_KernelColumn){
      schema->name, schema->fields[field].name, type, access};
}

/* The kind that the word names. problem: the message where it names none. */
static UniformKind word_kind(Parser *parser, const char *problem) {
  if (word_is(parser, "bool")) return UNIFORM_BOOL;
  if (word_is(parser, "entity")) return UNIFORM_ENTITY;
  if (!word_is(parser, "number")) fail(parser, problem, shown(parser));
  return UNIFORM_NUMBER;
}

static UniformKind read_kind(Parser *parser, const char *problem) {
  next_word(parser);
  return word_kind(parser, problem);
}

static void declare_uniform(Parser *parser) {
  ecs_Program *program = parser->program;
  void *uniforms = program->uniforms;
  expect_next(parser, 'u', program->uniform_count);
  UniformKind kind =
      read_kind(parser, "a uniform is a number, bool or entity: ");
  skip_spaces(parser);
  uint32_t fixed = 0;
  if (!is_line_end(parser)) {
    next_word(parser);
    if (word_is(parser, "fixed"))
      fixed = UNIFORM_FIXED;
    else
      fail(parser, "not fixed: ", shown(parser));
  }
  bool fits = room(parser, &uniforms, &program->uniform_capacity,
                   program->uniform_count, 1, ECS_DECLARATION_LIMIT);
  program->uniforms = uniforms;
  if (fits)
    program->uniforms[program->uniform_count++] = (uint8_t)(kind + fixed);
}

static void declare_reduction(Parser *parser) {
  ecs_Program *program = parser->program;
  void *reductions = program->reductions;
  uint32_t kind = OPERATION_SUM;
  expect_next(parser, 'r', program->reduction_count);
  next_word(parser);
  while (kind < OPERATION_EXIT && !word_is(parser, operation_infos[kind].name))
    kind++;
  if (kind == OPERATION_EXIT)
    fail(parser, "a reduction is sum, min, max, total, lowest or highest: ",
         shown(parser));
  bool fits = room(parser, &reductions, &program->reduction_capacity,
                   program->reduction_count, 1, ECS_DECLARATION_LIMIT);
  program->reductions = reductions;
  if (fits) program->reductions[program->reduction_count++] = (uint8_t)kind;
}

/* What is in program->arrays for the type of an array of the world. */
static uint32_t read_array_type(Parser *parser) {
  ecs_Scalar type = ECS_SCALAR_COUNT;
  next_word(parser);
  for (int k = 0; k < ECS_SCALAR_COUNT; k++)
    if (k != ECS_ENTITY && !scalar_is_held((ecs_Scalar)k) &&
        word_is(parser, ecs_scalar_name((ecs_Scalar)k)))
      type = (ecs_Scalar)k;
  if (type == ECS_SCALAR_COUNT)
    fail(parser, "no array is of this type: ", shown(parser));
  uint32_t kind = type == ECS_BOOL ? UNIFORM_BOOL : UNIFORM_NUMBER;
  return kind | ((uint32_t)type + 1u) << 2;
}

static void declare_array(Parser *parser) {
  ecs_Program *program = parser->program;
  void *arrays = program->arrays;
  expect_next(parser, 'a', program->array_count);
  uint32_t kind;
  next_word(parser);
  if (word_is(parser, "of"))
    kind = read_array_type(parser);
  else
    kind = word_kind(parser, "an element is a number, bool or entity: ");
  bool fits = room(parser, &arrays, &program->array_capacity,
                   program->array_count, 1, ECS_DECLARATION_LIMIT);
  program->arrays = arrays;
  if (fits) program->arrays[program->array_count++] = (uint8_t)kind;
}

static void declare_grid(Parser *parser) {
  ecs_Program *program = parser->program;
  void *grids = program->grids;
  expect_next(parser, 'g', program->grid_count);
  next_word(parser);
  bool flat = word_is(parser, "2");
  if (!flat && !word_is(parser, "3"))
    fail(parser, "a grid has 2 or 3 dimensions: ", shown(parser));
  bool fits = room(parser, &grids, &program->grid_capacity, program->grid_count,
                   1, ECS_DECLARATION_LIMIT);
  program->grids = grids;
  if (fits) program->grids[program->grid_count++] = flat ? 2 : 3;
}

/* Instructions ---------------------------------------------------------- */

/* Has the word only characters of numbers? strtod accepts other words, too. */
static bool is_numeral(const char *word) {
  if (*word == '-') word++;
  if (strcmp(word, "inf") == 0 || strcmp(word, "nan") == 0) return true;
  return *word != 0 && *word != '-' && *word != '+' &&
         strspn(word, "0123456789abcdefABCDEF.xXpP+-") == strlen(word);
}

/* Reads the word as a number. strtod wants the decimal point of the locale. */
static bool read_number(const char *word, double *number) {
  char text[WORD_ROOM + 16];
  const char *point = localeconv()->decimal_point, *dot = strchr(word, '.');
  size_t before = dot == NULL ? strlen(word) : (size_t)(dot - word);
  if (!is_numeral(word) || strlen(point) > 15) return false;
  char *end = text;
  memcpy(text, word, before + 1);
  if (dot != NULL) {
    strcpy(text + before, point);
    strcat(text, dot + 1);
  }
  *number = strtod(text, &end);
  return *end == 0;
}

static double read_constant(Parser *parser, ValueType type) {
  double number = 0.0;
  next_word(parser);
  if (type == VALUE_BOOL) {
    if (word_is(parser, "true")) return 1.0;
    if (!word_is(parser, "false")) fail(parser, "not a bool: ", shown(parser));
    return 0.0;
  }
  if (parser->quoted || !read_number(parser->word, &number))
    fail(parser, "not a number: ", shown(parser));
  else if (type == VALUE_ENTITY && number != 0.0)
    fail(parser, "the only constant entity is 0: ", shown(parser));
  if (number != number) return NAN;
  return type == VALUE_F32 ? (double)(float)number : number;
}

/* Reads what follows the name of an operation that asks a grid: as many
 * coordinates as it has dimensions, a radius, and maybe an entity. */
static void read_near(Parser *parser, Instruction *ins) {
  const ecs_Program *program = parser->program;
  ins->grid = reference(parser, 'g', program->grid_count);
  if (parser->status != ECS_OK) return;
  uint32_t count = program->grids[ins->grid] + 1u;
  count += instruction_shape(ins) != SHAPE_NEAR;
  for (uint32_t k = 0; k < count; k++)
    ins->operands[k] = value_reference(parser);
  if (ins->operation == OPERATION_NEAR)
    ins->field = parser->program->near_count++;
}

/* Finds the near whose list an nth reads. */
static void find_near(Parser *parser, Instruction *ins) {
  const ecs_Program *program = parser->program;
  if (parser->status != ECS_OK) return;
  for (uint32_t i = ins->operands[0]; i < program->code_count; i++) {
    const Instruction *made = &program->code[i];
    if (made->result != ins->operands[0] || made->operation != OPERATION_NEAR)
      continue;
    ins->grid = made->grid;
    ins->field = made->field;
    return;
  }
  fail(parser, "nth: the first operand is no near", "");
}

/* Reads the first and the last of some columns. */
static void read_columns(Parser *parser, Instruction *ins) {
  ins->index = reference(parser, 'c', parser->program->column_count);
  ins->field = reference(parser, 'c', parser->program->column_count);
}

/* Reads what follows the name of an operation with a result. */
static void read_operands(Parser *parser, Instruction *ins) {
  OperationShape shape = instruction_shape(ins);
  const ecs_Program *program = parser->program;
  if (shape == SHAPE_QUANTIZE) ins->scalar = (uint8_t)read_scalar(parser);
  if (shape_is_typed(shape)) ins->type = (uint8_t)read_type(parser);
  if (shape >= SHAPE_INDEX && shape <= SHAPE_INSIDE)
    ins->index = reference(parser, 'a', program->array_count);
  if (shape == SHAPE_FOUND || shape == SHAPE_FOUND_GET)
    ins->grid = reference(parser, 'g', program->grid_count);
  if (shape == SHAPE_ELEMENT) read_columns(parser, ins);
  for (uint32_t k = 0; k < shape_operand_count(shape); k++)
    ins->operands[k] = value_reference(parser);
  if (shape == SHAPE_CONSTANT)
    ins->constant = read_constant(parser, (ValueType)ins->type);
  if (shape == SHAPE_LOAD || shape == SHAPE_PRESENT)
    ins->index = reference(parser, 'c', program->column_count);
  if (shape == SHAPE_UNIFORM)
    ins->index = reference(parser, 'u', program->uniform_count);
  if (shape >= SHAPE_NEAR && shape <= SHAPE_ANY) read_near(parser, ins);
  if (shape == SHAPE_NTH) find_near(parser, ins);
  if (shape == SHAPE_HAS || shape == SHAPE_GET || shape == SHAPE_FOUND_GET)
    ins->index = read_component(parser);
  if (shape == SHAPE_GET || shape == SHAPE_FOUND_GET)
    ins->field = read_field(parser, ins->index);
  if (shape == SHAPE_INDEX) ins->operands[2] = mask_reference(parser);
  if (shape == SHAPE_SPAWN) ins->operands[0] = mask_reference(parser);
}

static void read_effect(Parser *parser, Instruction *ins) {
  const ecs_Program *program = parser->program;
  switch (instruction_shape(ins)) {
    case SHAPE_STORE:
      ins->index = reference(parser, 'c', program->column_count);
      ins->operands[0] = value_reference(parser);
      ins->operands[1] = mask_reference(parser);
      break;
    case SHAPE_SCATTER:
    case SHAPE_PUT:
      if (instruction_shape(ins) == SHAPE_SCATTER)
        read_columns(parser, ins);
      else
        ins->index = reference(parser, 'a', program->array_count);
      ins->operands[0] = value_reference(parser);
      ins->operands[1] = value_reference(parser);
      ins->operands[2] = mask_reference(parser);
      if (ins->operands[1] < program->value_count)
        ins->type = program->types[ins->operands[1]];
      break;
    case SHAPE_REDUCE:
      ins->index = reference(parser, 'r', program->reduction_count);
      ins->operands[0] = value_reference(parser);
      ins->operands[1] = mask_reference(parser);
      if (parser->status == ECS_OK &&
          program->reductions[ins->index] != ins->operation)
        fail(parser, "the reduction is of another kind", "");
      break;
    case SHAPE_NEXT:
      ins->operands[0] = value_reference(parser);
      ins->operands[1] = value_reference(parser);
      break;
    case SHAPE_WHILE:
    case SHAPE_EXIT: ins->operands[0] = value_reference(parser); break;
    case SHAPE_PART: ins->index = read_component(parser); break;
    case SHAPE_GIVE:
      ins->index = read_component(parser);
      ins->field = read_field(parser, ins->index);
      ins->operands[0] = value_reference(parser);
      break;
    case SHAPE_OTHER:
      ins->operands[0] = value_reference(parser);
      ins->index = read_component(parser);
      ins->operands[1] = mask_reference(parser);
      break;
    case SHAPE_DESTROY_OTHER:
      ins->operands[0] = value_reference(parser);
      ins->operands[1] = mask_reference(parser);
      break;
    case SHAPE_STRUCTURE:
      ins->index = read_component(parser);
      /* fall through */
    default: ins->operands[0] = mask_reference(parser); break;
  }
}

/* The operation that the last word names, from first up to but not including
 * end. */
static uint8_t find_operation(Parser *parser, int first, int end) {
  for (int k = first; k < end; k++)
    if (word_is(parser, operation_infos[k].name)) return (uint8_t)k;
  fail(parser, "no such operation: ", shown(parser));
  return (uint8_t)first;
}

static void append(Parser *parser, const Instruction *ins) {
  ecs_Program *program = parser->program;
  void *code = program->code, *types = program->types;
  bool fits = room(parser, &code, &program->code_capacity, program->code_count,
                   sizeof(Instruction), ECS_CODE_LIMIT);
  program->code = code;
  if (fits && ins->result != NO_VALUE) {
    fits = room(parser, &types, &program->value_capacity, program->value_count,
                1, ECS_CODE_LIMIT);
    program->types = types;
  }
  if (!fits) return;
  program->code[program->code_count++] = *ins;
  ECS_ASSERT(ins->result == NO_VALUE || ins->result == program->value_count);
  if (ins->result != NO_VALUE)
    program->types[program->value_count++] = (uint8_t)instruction_result(ins);
}

static Instruction blank(const Parser *parser) {
  return (Instruction){.type = VALUE_F64,
                       .result = NO_VALUE,
                       .operands = NO_OPERANDS,
                       .line = parser->line};
}

/* Notes what the program does. */
static void note_effects(ecs_Program *program, const Instruction *ins) {
  OperationShape shape = instruction_shape(ins);
  if (instruction_is_change(ins)) program->changes_structure = true;
  if (instruction_may_stop(ins)) program->changes_first = true;
  if (instruction_may_stop(ins) || shape == SHAPE_EXIT) program->exits = true;
  if (shape == SHAPE_DESTROY || shape == SHAPE_DESTROY_OTHER)
    program->destroys = true;
  if (shape == SHAPE_ALIVE) program->asks_alive = true;
  if (shape == SHAPE_PUT && ins->index < program->array_count)
    program->puts |= array_bit(program, ins->index);
}

/* Notes whether a row may see what rows before it have put. */
static void note_looks(ecs_Program *program) {
  for (uint32_t k = 0; k < program->code_count; k++)
    if (instruction_sees_puts(program, &program->code[k]))
      program->sees_puts = true;
}

/* vN = operation ... */
static void read_value(Parser *parser) {
  Instruction ins = blank(parser);
  ins.result = parser->program->value_count;
  if (numbered(parser, 'v') != ins.result)
    fail(parser, "not the number that comes next: ", shown(parser));
  next_word(parser);
  if (!word_is(parser, "=")) fail(parser, "there is no = behind a value", "");
  next_word(parser);
  ins.operation = find_operation(parser, 0, OPERATION_FIRST_EFFECT);
  if (parser->status != ECS_OK) return;
  read_operands(parser, &ins);
  note_effects(parser->program, &ins);
  append(parser, &ins);
}

static void open_cycle(Parser *parser) {
  parser->program->cycle_count++;
  if (parser->depth++ == ECS_CYCLE_LIMIT)
    fail_limit(parser, "cycles are nested too deeply");
}

static void read_instruction(Parser *parser) {
  if (numbered(parser, 'v') != NO_VALUE) {
    read_value(parser);
    return;
  }
  Instruction ins = blank(parser);
  ins.operation =
      find_operation(parser, OPERATION_FIRST_EFFECT, OPERATION_COUNT);
  if (parser->status != ECS_OK) return;
  read_effect(parser, &ins);
  note_effects(parser->program, &ins);
  if (ins.operation == OPERATION_REPEAT) open_cycle(parser);
  if (ins.operation == OPERATION_AGAIN && parser->depth > 0) parser->depth--;
  append(parser, &ins);
}

static void read_line(Parser *parser) {
  bool declares = parser->program->code_count == 0;
  if (!next_word(parser)) return;
  if (declares && word_is(parser, "column"))
    declare_column(parser);
  else if (declares && word_is(parser, "uniform"))
    declare_uniform(parser);
  else if (declares && word_is(parser, "reduction"))
    declare_reduction(parser);
  else if (declares && word_is(parser, "array"))
    declare_array(parser);
  else if (declares && word_is(parser, "grid"))
    declare_grid(parser);
  else
    read_instruction(parser);
}

ecs_Status program_parse(ecs_Program *program, const char *text, size_t length,
                         const Mistake *mistake) {
  Parser parser = {.program = program,
                   .mistake = mistake,
                   .next = text,
                   .end = text + length,
                   .line = 1,
                   .status = ECS_OK};
  if (length > ECS_TEXT_LIMIT)
    fail_limit(&parser, "the text of the program is too long");
  while (parser.status == ECS_OK && parser.next < parser.end) {
    read_line(&parser);
    if (parser.status == ECS_OK) next_line(&parser);
  }
  if (parser.status == ECS_OK) note_looks(program);
  return parser.status;
}
